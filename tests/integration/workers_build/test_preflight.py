"""One script by itself, as the HTTP API tries it before it stores anything."""

from pathlib import Path

import pytest

from apis.cfworker.planrow import PlanBinding, PlanBindingKind, PlanRow
from controllers.scriptstorage.script import ModuleType, ScriptModule
from controllers.workerbuild.check import check_script
from controllers.workerbuild.preflight import Failure, PreflightOptions
from controllers.workerbuild.resolve import ResolvedScript, resolve_script
from framework.errors import ConfigurationError


def a_script(code: str, *bindings: PlanBinding, date: str = "2024-01-01") -> ResolvedScript:
    row = PlanRow(name="hello", port=8080, compatibility_date=date, sources=["upload"], bindings=list(bindings))
    return resolve_script(0, row, [ScriptModule("index.js", ModuleType.ES_MODULE, code.encode())])


def tried(workerd: Path, script: ResolvedScript) -> Failure | None:
    return check_script(script, PreflightOptions(workerd=workerd, timeout_seconds=20.0))


def test_a_script_that_calls_others_and_reads_secrets_passes_without_them(workerd: Path) -> None:
    service = PlanBinding(name="OTHER", kind=PlanBindingKind.SERVICE, service="elsewhere", entrypoint="Admin")
    secret = PlanBinding(name="KEY", kind=PlanBindingKind.ENV, value="HELLO_KEY")

    assert tried(workerd, a_script("export default { fetch() {} };", service, secret)) is None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("export default {", "Uncaught SyntaxError"),
        ("throw new Error('at the top');", "at the top"),
        ("import 'not-there.js'; export default {};", "not-there.js"),
    ],
)
def test_what_workerd_says_of_a_script_is_told_in_one_line_and_without_a_path_of_ours(
    workerd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    failure = tried(workerd, a_script(code))

    assert failure is not None
    assert said in failure.message
    assert "\n" not in failure.message
    assert str(tmp_path) not in failure.message
    assert list(tmp_path.iterdir()) == []


def test_a_script_that_never_ends_is_ended_by_the_clock_and_by_its_cpu_time(workerd: Path) -> None:
    endless = a_script("for (;;) {}")

    by_clock = check_script(endless, PreflightOptions(workerd=workerd, timeout_seconds=1.0))
    by_cpu = check_script(endless, PreflightOptions(workerd=workerd, timeout_seconds=60.0, cpu_seconds=1))

    assert by_clock is not None
    assert by_clock.is_timeout
    assert by_clock.message.startswith("did not start within")
    assert by_cpu == Failure("used more than 1 s of CPU before it started")


def test_a_workerd_that_is_not_there_is_a_matter_of_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="-workerd"):
        tried(tmp_path / "workerd", a_script("export default {};"))


def test_a_workerd_that_does_not_get_to_work_is_given_more_time_and_then_killed(tmp_path: Path) -> None:
    idle = tmp_path / "workerd"
    idle.write_text("#!/bin/sh\nexec sleep 60\n")
    idle.chmod(0o755)

    failure = check_script(a_script("export default {};"), PreflightOptions(workerd=idle, timeout_seconds=0.2))

    assert failure == Failure("did not start within 0.8 s", is_timeout=True)
