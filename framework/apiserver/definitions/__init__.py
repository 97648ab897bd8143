"""CustomResourceDefinitions: the kinds that are applied to the server at run time.

Guarantees: a definition is served as soon as the write that brought it is answered; names are accepted, versions stored
and conditions set as the real server does; an object is shown in whichever served version is asked for.
Not guaranteed: that instances of a deleted definition are gone at once; the built-in controllers see to that.

Imports nothing by itself: what knows schemas is loaded with the first definition.
"""
