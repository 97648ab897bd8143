"""A plan is one line of JSON, and the line is the plan."""

import pytest

from framework.errors import ConfigurationError
from framework.testing.simulation import Fault, Plan, plan_from


def test_a_plan_comes_back_from_its_line() -> None:
    fault = Fault("answer", "PATCH /api/v1/namespaces/default/configmaps/a", nth=2, code=409, seconds=1.5)
    plan = Plan(7, (fault,))

    line = str(plan)

    assert "\n" not in line
    assert plan_from(line) == plan


def test_what_is_no_plan_is_refused_in_one_line() -> None:
    with pytest.raises(ConfigurationError, match="this is no fault plan: Invalid enum value 'explode'"):
        plan_from('{"faults":[{"do":"explode","request":"GET /"}]}')
