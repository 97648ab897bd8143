"""The string formats that the API server checks, each as strict or as lenient as it is there.

Guarantees: pure functions of the text, in time linear in its length.
Not guaranteed: that mail addresses with comments or encoded names are told from broken ones.
"""

from framework.apiserver.schema.formats.registry import is_recognized, string_format

__all__ = ["is_recognized", "string_format"]
