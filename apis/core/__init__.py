"""The kinds of the core group that controllers read and write; only the fields they use.

Guarantees: whatever the server sends decodes.
Not guaranteed: completeness; unknown fields are skipped.
"""
