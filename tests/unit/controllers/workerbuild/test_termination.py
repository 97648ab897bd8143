from pathlib import Path

import msgspec
import pytest

from controllers.workerbuild.bad_input import FailedScript, Termination
from controllers.workerbuild.termination import termination_message, write_termination


def failed(count: int, length: int) -> Termination:
    scripts = [FailedScript(script_name=f"{number:063}", message="ü" * length) for number in range(count)]
    return Termination(ok=False, reason="ScriptInvalid", failed_scripts=scripts)


def test_a_message_of_success_is_what_the_controller_reads() -> None:
    ending = Termination(ok=True, image="r.example/a:c-1", digest="sha256:0")

    assert termination_message(ending) == b'{"ok":true,"image":"r.example/a:c-1","digest":"sha256:0"}'


@pytest.mark.parametrize(("count", "length"), [(1, 100_000), (10, 2000), (200, 2000), (200, 0)])
def test_a_message_fits_into_what_a_kubelet_keeps_and_stays_json(count: int, length: int) -> None:
    text = termination_message(failed(count, length))

    found = msgspec.json.decode(text)
    assert len(text) <= 4096
    assert len(found["failedScripts"]) + found.get("moreFailed", 0) == count
    assert found["failedScripts"][0]["scriptName"] == f"{0:063}"


def test_a_message_is_one_line_without_control_characters() -> None:
    ending = Termination(
        ok=False, reason="X", failed_scripts=[FailedScript(script_name="a", message="one\ntwo\x1b[31m\x00three")]
    )

    assert msgspec.json.decode(termination_message(ending))["failedScripts"][0]["message"] == "one two [31m three"


def test_nothing_is_written_where_no_kubelet_put_a_file(tmp_path: Path) -> None:
    write_termination(tmp_path / "termination-log", Termination(ok=True))
    write_termination(None, Termination(ok=True))

    assert list(tmp_path.iterdir()) == []
