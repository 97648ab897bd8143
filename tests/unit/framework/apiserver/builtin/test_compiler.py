from typing import Any

import pytest

from framework.apiserver.builtin import compiler
from framework.apiserver.builtin.shapes import Reading, StructShape

CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap"


def test_a_task_that_comes_while_another_compiles_never_gets_half_a_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_finished", {})
    read_meanwhile: list[dict[str, Any]] = []
    add = StructShape.add

    def add_and_let_another_task_in(shape: StructShape, *field: Any) -> None:
        if not read_meanwhile:
            read_meanwhile.append(a_config_map())
            compiler.shape_of.__wrapped__(CONFIG_MAP).read(read_meanwhile[0], Reading())
        add(shape, *field)

    monkeypatch.setattr(StructShape, "add", add_and_let_another_task_in)
    compiler.shape_of.__wrapped__(CONFIG_MAP)

    assert read_meanwhile == [a_config_map()]


def a_config_map() -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"a": "b"}}
