"""The table of all values in the README of the chart."""

import json

from hack.chart.values import Value

_BEGIN, _END = "<!-- values -->\n", "<!-- /values -->"


def readme_with_table(text: str, values: tuple[Value, ...]) -> str:
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"the README of the chart has no {_BEGIN.strip()} … {_END}")
    return before + begin + values_table(values) + end + after


def values_table(values: tuple[Value, ...]) -> str:
    rows = ["| value | default | |", "|---|---|---|"]
    for top in values:
        for path, value in top.walk():
            if not value.children:
                rows.append(f"| `{path}` | {_default(value)} | {_cell(value)} |")
            elif value.description:
                rows.append(f"| **`{path}`** | | {_cell(value)} |")
    return "\n".join([*rows, ""])


def _default(value: Value) -> str:
    return f"`{json.dumps(value.default, ensure_ascii=False)}`"


def _cell(value: Value) -> str:
    choice = (
        f"One of {', '.join(f'`{each}`' for each in value.hints['enum'].split())}." if "enum" in value.hints else ""
    )
    return " ".join(part for part in (value.description, choice) if part).replace("|", "\\|")
