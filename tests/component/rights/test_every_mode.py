"""Whatever the chart can deploy, some test compares its rules with what it does."""

from collections.abc import Callable, Mapping

import yaml

from controllers.workeralias import ALIASES, alias_controller
from tests.component.cfapi import test_rights as of_the_workers_api
from tests.component.peerpods_rights import test_rights as of_peer_pods
from tests.component.rights import test_aliases as of_aliases
from tests.component.rights import test_laf as of_laf
from tests.component.rights import test_workers as of_workers
from tests.component.rights.guarded import RULES
from tests.integration.chart import test_flow as of_the_chart
from tests.integration.chart import test_values as of_values
from tests.integration.requeststate import test_rights as of_request_states

MODES = RULES.parent / "modes.yaml"
_LAF = of_laf.test_rules_are_enough_and_none_is_left_over
_WORKERS = of_workers.test_rules_are_enough_and_none_is_left_over
_ALIASES = of_aliases.test_rules_are_enough_and_none_is_left_over
_PEER_PODS = of_peer_pods.test_without_one_right_something_is_missing
_FLOW = of_the_chart.test_director_and_worker_use_each_of_their_rights_and_ask_for_no_other
_MANAGER = of_the_chart.test_manager_asks_for_no_other_right_and_uses_those_that_no_controller_needs
# Which test fails if a part of the rules is too small or too large.
SHOWN: Mapping[str, Callable[..., None]] = {
    "requeststate-director": _FLOW,
    "requeststate-worker": _FLOW,
    "requeststate-creator": of_request_states.test_director_and_worker_do_exactly_what_their_roles_allow,
    "leader-election": _FLOW,
    "metrics": _FLOW,
    "manager-leader-election": _MANAGER,
    "hub-id": _MANAGER,
    **dict.fromkeys(("application", "bundle", "cluster", "creationform", "instance", "runtime"), _LAF),
    **dict.fromkeys(("peerpod", "peerpodconfig"), _PEER_PODS),
    **dict.fromkeys(("jobbuilder", "workeraccount", "workerbundle"), _WORKERS),
    **dict.fromkeys(("workerdeployment", "workerrelease", "workerversion"), _WORKERS),
    **dict.fromkeys((alias_controller(kind) for kind in ALIASES), _ALIASES),
    "cf-api": of_the_workers_api.test_rights_are_those_that_are_used,
}
# Modes that have no rules at all, and where it is shown that they have no token either.
WITHOUT_RULES: Mapping[str, Callable[..., None]] = {
    "webhook": of_values.test_webhook_has_neither_a_token_nor_a_role,
}


def test_each_part_of_the_rules_is_compared_with_what_is_done() -> None:
    assert set(SHOWN) == set(yaml.safe_load(RULES.read_text()))


def test_each_mode_of_the_chart_has_rules_that_are_compared() -> None:
    for mode, parts in yaml.safe_load(MODES.read_text()).items():
        systems = parts.get("systems", {}).values()
        names = [
            *parts.get("always", ()),
            *parts.get("leaderElection", ()),
            *(name for some in systems for name in some),
            *parts.get("cfWorkerGroup", {}).values(),
        ]

        assert set(names) <= set(SHOWN)
        assert bool(names) != (mode in WITHOUT_RULES), mode
