"""The phase table, row by row: nothing but these rows moves an Application."""

from itertools import product

import pytest

from apis.laf.application import Phase
from apis.laf.instance import DesiredState
from controllers.application.phase import Sight, next_phase

RUNNING, STOPPED = DesiredState.RUNNING, DesiredState.STOPPED
OURS = (Sight.PRESENT, Sight.READY, Sight.REPLACED, Sight.LEAVING)
NOT_OURS = (Sight.ABSENT, Sight.FOREIGN)
# From, what is wanted, what is seen of the Instance: to.
ROWS = (
    (Phase.INITIALIZED, RUNNING, (Sight.PRESENT, Sight.READY, Sight.REPLACED), Phase.STARTING),
    (Phase.STOPPED, RUNNING, (Sight.PRESENT, Sight.READY, Sight.REPLACED), Phase.STARTING),
    (Phase.INITIALIZED, STOPPED, NOT_OURS, Phase.STOPPED),
    (Phase.INITIALIZED, STOPPED, OURS, Phase.STOPPING),
    (Phase.STOPPED, STOPPED, OURS, Phase.STOPPING),
    (Phase.STARTING, RUNNING, (Sight.READY,), Phase.RUNNING),
    (Phase.RUNNING, RUNNING, (Sight.ABSENT, Sight.FOREIGN, Sight.REPLACED), Phase.STARTING),
    (Phase.STARTING, STOPPED, tuple(Sight), Phase.STOPPING),
    (Phase.RUNNING, STOPPED, tuple(Sight), Phase.STOPPING),
    (Phase.STOPPING, RUNNING, NOT_OURS, Phase.STOPPED),
    (Phase.STOPPING, STOPPED, NOT_OURS, Phase.STOPPED),
)
TABLE = {(phase, desired, sight): to for phase, desired, sights, to in ROWS for sight in sights}
LATER_PHASES = [phase for phase in Phase if phase is not Phase.INITIALIZING]


@pytest.mark.parametrize(("phase", "desired", "sight"), list(product(LATER_PHASES, DesiredState, Sight)))
def test_a_phase_leads_where_the_table_says_and_else_stays(phase: Phase, desired: DesiredState, sight: Sight) -> None:
    assert next_phase(phase, desired, sight) is TABLE.get((phase, desired, sight), phase)
