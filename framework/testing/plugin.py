"""The pytest plugin: fixtures that simulate, and an option that repeats one plan.

def test_survives_everything(simulate):
    simulate(register, workload, definitions=crds_of((Website,)))

def test_follows_its_spec(campaign):
    campaign(register, Website(metadata=…, spec=…), definitions=crds_of((Website,)))
"""

import shlex
from collections.abc import Callable
from typing import Any

import pytest

_OPTION = "--windlass-plan"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("windlass").addoption(
        _OPTION, metavar="JSON", default="", help="run this one fault plan, as a failing simulation printed it"
    )


@pytest.fixture
def simulate(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`framework.testing.simulation.simulate`, under the plan of the command line if there is one."""
    return _with_plan(request, "simulate")


@pytest.fixture
def campaign(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`framework.testing.simulation.campaign`, under the plan of the command line if there is one."""
    return _with_plan(request, "campaign")


def _with_plan(request: pytest.FixtureRequest, name: str) -> Callable[..., Any]:
    # Imported by who asks for it: this file is loaded by every pytest of an environment in which Windlass is installed.
    from framework.testing import simulation

    text: str = request.config.getoption(_OPTION)
    plan = simulation.plan_from(text) if text else None

    def replay(failing: simulation.Plan) -> str:
        return f"pytest {shlex.quote(request.node.nodeid)} {_OPTION}={shlex.quote(str(failing))}"

    def run(*arguments: Any, **options: Any) -> simulation.Report:
        __tracebackhide__ = True
        report: simulation.Report = getattr(simulation, name)(*arguments, plan=plan, replay=replay, **options)
        return report

    return run
