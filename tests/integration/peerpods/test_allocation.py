"""How VMs are divided between nodes, on a real control plane."""

import pytest

from apis.core.v1 import Node
from apis.meta import Key
from controllers.peerpods.names import EXTENDED_RESOURCE
from tests.integration.peerpods.site import Site
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("peerpods")


def test_a_limit_is_divided_evenly_and_completely_between_the_workers(site: Site) -> None:
    for name in ("a", "b", "c"):
        site.node(name)

    key = site.config(limit="20")

    site.wait_for_capacity({"a": "7", "b": "7", "c": "6"})
    site.wait_until_set_up(key)
    eventually(lambda: len(site.pods()) == 3, "three pods of the adaptor")
    status = site.status(key)
    assert (status["selectedNodes"], status["advertisedVMs"], status["cloudProvider"]) == (3, 20, "aws")
    assert status["daemonSetName"] == "peerpodconfig-ctrl-caa-daemon"


def test_a_node_may_get_none_and_says_so(site: Site) -> None:
    for name in ("a", "b", "c"):
        site.node(name)

    site.config(limit="2")

    site.wait_for_capacity({"a": "1", "b": "1", "c": "0"})


def test_nodes_that_join_leave_or_are_relabelled_are_divided_anew_and_the_sum_stays(site: Site) -> None:
    for name in ("a", "b", "c"):
        site.node(name)
    key = site.config(limit="20")
    site.wait_for_capacity({"a": "7", "b": "7", "c": "6"})

    site.node("d")
    site.wait_for_capacity({"a": "5", "b": "5", "c": "5", "d": "5"})
    eventually(lambda: len(site.pods()) == 4, "a pod for each")
    site.bind_pods()
    site.client.delete(Node, Key("", site.node_name("b")))
    site.wait_for_capacity({"a": "7", "c": "7", "d": "6"})
    labels = {"labels": {"node.kubernetes.io/worker": None}}
    site.client.merge_patch(Node, Key("", site.node_name("c")), {"metadata": labels})

    site.wait_for_capacity({"a": "10", "c": None, "d": "10"})
    eventually(lambda: site.owner("c") is None, "the node belongs to nobody")
    eventually(lambda: not site.has_pod_on("c"), "its pod goes")
    assert site.has_pod_on("a")
    assert site.has_pod_on("d")
    eventually(lambda: site.status(key)["advertisedVMs"] == 20, "told so")


def test_another_limit_restarts_no_adaptor(site: Site) -> None:
    for name in ("a", "b", "c"):
        site.node(name)
    key = site.config(limit="20")
    site.wait_for_capacity({"a": "7", "b": "7", "c": "6"})
    eventually(lambda: len(site.pods()) == 3, "three pods")
    generation, pods = site.daemon_set()["metadata"]["generation"], site.pods()

    site.change(key, limit="5")

    site.wait_for_capacity({"a": "2", "b": "2", "c": "1"})
    site.wait_until_set_up(key)
    assert site.daemon_set()["metadata"]["generation"] == generation
    assert site.pods() == pods


def test_a_limit_per_node_is_that_of_each_and_others_are_not_asked_when_one_joins(site: Site) -> None:
    for name in ("a", "b"):
        site.node(name)
    key = site.config(limit="4", limitScope="PerNode")
    site.wait_for_capacity({"a": "4", "b": "4"})
    site.wait_until_set_up(key)
    site.writes.seen.clear()

    site.node("c")

    site.wait_for_capacity({"a": "4", "b": "4", "c": "4"})
    eventually(lambda: site.status(key)["advertisedVMs"] == 12, "told so")
    assert {each for each in site.writes.seen if " nodes " in each} == {f"patch nodes {site.node_name('c')}"}


def test_both_shapes_of_selectors_select_and_together_they_intersect(site: Site) -> None:
    site.node("a", {"zone": "one", "disk": "ssd"})
    site.node("b", {"zone": "two", "disk": "ssd"})
    site.node("c", {"zone": "one", "disk": "hdd"})
    expression = {"key": "zone", "operator": "NotIn", "values": ["two"]}
    mine = {"matchLabels": {"site": site.name}}
    key = site.config(limit="6", labelSelector={**mine, "matchExpressions": [expression]})
    site.wait_for_capacity({"a": "3", "b": None, "c": "3"})
    eventually(lambda: len(site.pods()) == 2, "no pod elsewhere")

    site.change(key, labelSelector=None, nodeSelector={"disk": "ssd", "site": site.name})
    site.wait_for_capacity({"a": "3", "b": "3", "c": None})
    site.change(key, labelSelector={"matchExpressions": [expression]})
    site.wait_for_capacity({"a": "6", "b": None, "c": None})
    # As the sample of the predecessor has it.
    site.change(key, labelSelector=None, nodeSelector={"disk": None, "site": None, **mine})
    site.wait_for_capacity({"a": "2", "b": "2", "c": "2"})


def test_a_tainted_node_counts_only_for_who_tolerates_it(site: Site) -> None:
    taint = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    site.node("a", {})
    site.node("control", {}, taints=[taint])
    key = site.config(limit="4", labelSelector={})
    site.wait_for_capacity({"a": "4", "control": None})

    site.change(key, tolerations=[{"key": taint["key"], "operator": "Exists"}])

    site.wait_for_capacity({"a": "2", "control": "2"})
    eventually(lambda: len(site.pods()) == 2, "a pod there too")


def test_a_number_that_others_change_or_take_away_comes_back(site: Site) -> None:
    site.node("a")
    site.config(limit="1000")
    site.wait_for_capacity({"a": "1k"})

    for value in ("0", None):
        status = {place: {EXTENDED_RESOURCE: value} for place in ("capacity", "allocatable")}
        site.client.merge_patch(Node, Key("", site.node_name("a")), {"status": status}, subresource="status")
        site.wait_for_capacity({"a": "1k"})


def test_no_selected_node_is_no_crash_and_the_adaptor_is_there_all_the_same(site: Site) -> None:
    key = site.config(limit="3", nodeSelector={"nobody": "has-it"})

    eventually(lambda: site.says(key, "NodesAdvertised", "False", "NoNodesSelected"), "it says so")
    assert site.status(key)["setupCompleted"] is False
    assert site.daemon_set() is not None


def test_a_settled_config_makes_no_write_whatever_heartbeats_come(site: Site) -> None:
    for name in ("a", "b"):
        site.node(name, status={"capacity": {"cpu": "4"}})
    key = site.config(limit="2000")
    site.wait_until_set_up(key)
    eventually(lambda: len(site.pods()) == 2, "pods")
    eventually(lambda: site.message(key, "DaemonSetReady").startswith("0 of 2"), "its controller has told all")
    site.writes.seen.clear()

    for number in range(20):
        condition = {"type": "Ready", "status": "True", "reason": f"beat{number}", "message": ""}
        for name in ("a", "b"):
            patch = {"status": {"conditions": [condition]}}
            site.client.merge_patch(Node, Key("", site.node_name(name)), patch, subresource="status")
    # What comes last is seen after all that came before.
    site.node("last")
    site.wait_for_capacity({"a": "667", "b": "667", "last": "666"})
    eventually(lambda: site.message(key, "DaemonSetReady").startswith("0 of 3"), "all of it is told")

    told = [each for each in site.writes.seen if not each.startswith("patch nodes")]
    assert len([each for each in site.writes.seen if each.startswith("patch nodes")]) == 4
    assert {each.split()[1] for each in told} <= {"peerpodconfigs"}
