"""What the server refuses in objects of the built-in kinds, in the words of the real one.

Guarantees: fields, reasons and messages of the checks that are here; the order of the real server's within one object.
Not guaranteed: the checks of rarely used fields, such as old volume types, Windows options and resource claims.
"""
