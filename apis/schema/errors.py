"""The one error of the generator."""


class SchemaError(TypeError):
    """A type cannot be a kind as it is declared; the text is one line: class, field, what is wrong, what to write."""
