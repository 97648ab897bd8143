"""Prints objects as the rows of a `Table`, which is what kubectl shows.

Guarantees:
- Columns (name, type, format, priority) and cells are those of the real server for the built-in kinds and for the
  additionalPrinterColumns of custom ones.
- Printing changes nothing, and fits objects of which parts are missing, as in bookmarks.

Not guaranteed:
- Descriptions of columns are our own.
"""

from framework.apiserver.tables.builtin import builtin_table
from framework.apiserver.tables.custom import CustomTable
from framework.apiserver.tables.document import IncludeObject, table_document
from framework.apiserver.tables.durations import human_duration
from framework.apiserver.tables.json_path import compile_json_path
from framework.apiserver.tables.json_path_steps import JsonPathError

__all__ = [
    "CustomTable",
    "IncludeObject",
    "JsonPathError",
    "builtin_table",
    "compile_json_path",
    "human_duration",
    "table_document",
]
