"""Every alert fires when it should, and not before."""

import subprocess
from pathlib import Path
from shutil import which

import pytest
import yaml

from tests.integration.chart.release import CHART

CASES = Path(__file__).parent / "alerts.test.yaml"
ALERTS = CHART / "files" / "alerts.yaml"


def names() -> set[str]:
    return {rule["alert"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]}


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() -> None:
    cases = [case for test in yaml.safe_load(CASES.read_text())["tests"] for case in test["alert_rule_test"]]

    assert {case["alertname"] for case in cases if case["exp_alerts"]} == names()
    assert {case["alertname"] for case in cases if not case["exp_alerts"]} == names()


@pytest.mark.parametrize(
    "command", [("check", "rules", str(ALERTS)), ("test", "rules", str(CASES))], ids=["check", "test"]
)
def test_promtool_agrees(command: tuple[str, ...]) -> None:
    promtool = which("promtool")
    if promtool is None:
        pytest.skip("needs promtool (Debian: apt-get install prometheus)")

    done = subprocess.run([promtool, *command], capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
