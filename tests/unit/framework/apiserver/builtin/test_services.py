import pytest

from framework.apiserver.builtin.allocation import FIRST_NODE_PORT, LAST_NODE_PORT
from framework.apiserver.objects import Object
from framework.errors import Invalid, ServerError
from tests.unit.framework.apiserver.builtin.objects import created, problems, strategy_of, update_problems, updated


def a_service(**spec: object) -> Object:
    return {"spec": {"ports": [{"port": 80}], **spec}}


def test_each_service_gets_an_address_that_no_other_has() -> None:
    services: list[Object] = []
    strategy = strategy_of("Service", services=services)

    for _ in range(3):
        services += [created(strategy, **a_service())]

    assert [one["spec"]["clusterIP"] for one in services] == ["10.96.0.2", "10.96.0.3", "10.96.0.4"]
    assert services[0]["spec"]["clusterIPs"] == ["10.96.0.2"]


def test_an_address_that_is_taken_is_refused() -> None:
    strategy = strategy_of("Service", services=[created(strategy_of("Service"), **a_service())])

    with pytest.raises(Invalid, match=r"failed to allocate IP 10.96.0.2: provided IP is already allocated"):
        created(strategy, **a_service(clusterIP="10.96.0.2"))


def test_an_address_outside_the_network_is_refused() -> None:
    with pytest.raises(Invalid, match=r"The range of valid IPs is 10.96.0.0/16"):
        created(strategy_of("Service"), **a_service(clusterIP="10.97.0.2"))


def test_node_ports_are_given_where_the_type_asks_for_them() -> None:
    strategy = strategy_of("Service")

    plain, open_ = created(strategy, **a_service()), created(strategy, **a_service(type="NodePort"))

    assert "nodePort" not in plain["spec"]["ports"][0]
    assert open_["spec"]["ports"][0]["nodePort"] == FIRST_NODE_PORT


def test_one_port_for_two_protocols_is_one_port_on_the_node() -> None:
    ports = [{"name": "a", "port": 53, "protocol": "UDP"}, {"name": "b", "port": 53}, {"name": "c", "port": 54}]

    made = created(strategy_of("Service"), spec={"type": "NodePort", "ports": ports})

    first, second, third = (port["nodePort"] for port in made["spec"]["ports"])
    assert first == second != third


@pytest.mark.parametrize(
    ("port", "message"),
    [
        (80, "The range of valid ports is 30000-32767"),
        (FIRST_NODE_PORT, "provided port is already allocated"),
    ],
)
def test_a_node_port_that_cannot_be_had_is_refused(port: int, message: str) -> None:
    taken = created(strategy_of("Service"), **a_service(type="NodePort"))

    with pytest.raises(Invalid, match=message):
        created(
            strategy_of("Service", services=[taken]),
            spec={"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]},
        )


def test_a_full_range_is_the_servers_own_trouble() -> None:
    taken = {"spec": {"ports": [{"nodePort": port} for port in range(FIRST_NODE_PORT, LAST_NODE_PORT + 1)]}}

    with pytest.raises(ServerError, match="failed to allocate a nodePort: range is full"):
        created(strategy_of("Service", services=[taken]), **a_service(type="NodePort"))


def test_an_update_that_does_not_know_the_address_keeps_it() -> None:
    strategy = strategy_of("Service")
    old = created(strategy, **a_service())

    new = updated(strategy, old, **a_service(selector={"a": "b"}))

    assert new["spec"]["clusterIPs"] == old["spec"]["clusterIPs"]
    assert update_problems(strategy, new, old) == []


def test_a_service_keeps_its_own_node_port_in_an_update() -> None:
    old = created(strategy_of("Service"), **a_service(type="NodePort"))
    strategy = strategy_of("Service", services=[old])

    new = updated(strategy, old, spec={**old["spec"], "selector": {"a": "b"}})

    assert new["spec"]["ports"] == old["spec"]["ports"]


def test_another_address_is_refused() -> None:
    strategy = strategy_of("Service")
    old = created(strategy, **a_service())

    new = updated(strategy, old, spec={**old["spec"], "clusterIP": "10.96.9.9"})

    assert update_problems(strategy, new, old) == [
        'spec.clusterIPs[0]: Invalid value: ["10.96.9.9"]: may not change once set'
    ]


def test_a_headless_service_needs_no_ports() -> None:
    strategy = strategy_of("Service")

    made = created(strategy, spec={"clusterIP": "None"})

    assert problems(strategy, made) == []
    assert made["spec"]["ipFamilies"] == ["IPv4", "IPv6"]


def test_a_headless_service_is_warned_about_what_it_ignores() -> None:
    strategy = strategy_of("Service")
    made = created(strategy, spec={"clusterIP": "None", "sessionAffinity": "ClientIP"})

    assert strategy.warnings(made) == ["spec.SessionAffinity is ignored for headless services"]
