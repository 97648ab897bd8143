"""O9: a secret that gets to anywhere else is found, and the complaint does not tell it."""

import logging
from base64 import b64encode
from collections.abc import Callable
from fnmatch import fnmatch

import pytest
import structlog
from prometheus_client import Counter, Metric

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, ObjectMeta, Request
from framework.controller import Primary
from framework.errors import WindlassError
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Fault, Plan, Scenario, Simulation, User

ONE = Key("default", "one")
PASSWORD = "correct-horse-battery"
NAMED = "'password' of the Secret default/one"

Leak = Callable[[Manager, str], None]


def workload(user: User) -> None:
    metadata = ObjectMeta(name=ONE.name, namespace=ONE.namespace)
    user.client.create(ConfigMap(metadata=metadata))
    user.client.create(Secret(metadata=metadata, data={"password": PASSWORD.encode()}))


def complaints(leak: Leak, **options: object) -> list[str]:
    class Reconciler:
        def __init__(self, manager: Manager) -> None:
            self._manager = manager
            self._is_first = True

        def reconcile(self, request: Request) -> Result:
            if request.key == ONE and self._is_first:
                self._is_first = False
                leak(self._manager, PASSWORD)
            return Result.await_change()

    def register(manager: Manager) -> None:
        secrets = manager.informer(Secret, InformerOptions(keeps_secret_values=True))
        manager.add_controller("test", Reconciler(manager), [Primary(secrets)])

    scenario = Scenario({"controller": register}, workload, **options)  # type: ignore[arg-type]
    violations = Simulation(scenario).run(Plan()).violations
    return [each.message for each in violations if each.oracle == "O9"]


def into_a_log_line(_manager: Manager, password: str) -> None:
    structlog.get_logger().warning("login", answer=["refused", password])


def into_the_standard_log(_manager: Manager, password: str) -> None:
    logging.getLogger("driver").warning("login as %s", password)


def into_an_error(_manager: Manager, password: str) -> None:
    raise WindlassError(f"no login with {password}")


def into_the_cause_of_an_error(_manager: Manager, password: str) -> None:
    raise KeyError("login") from ValueError(password)


def into_another_object(manager: Manager, password: str) -> None:
    manager.client.merge_patch(ConfigMap, ONE, {"metadata": {"annotations": {"url": f"sql://me@{password}"}}})


def encoded(manager: Manager, password: str) -> None:
    manager.client.merge_patch(ConfigMap, ONE, {"data": {"key": b64encode(password.encode()).decode()}})


def into_an_event(manager: Manager, password: str) -> None:
    secret = manager.client.get(Secret, ONE)
    manager.recorder_for("test").record(secret, "Warning", "LoginFailed", f"no login with {password}", action="Login")


def into_a_metric(manager: Manager, password: str) -> None:
    Counter("logins", "Tried.", ["who"], registry=manager.registry).labels(password).inc()


SINKS: dict[Leak, str] = {
    into_a_log_line: "log: login",
    into_the_standard_log: "log: login as [redacted]",
    into_an_error: "log: reconcile_failed",
    into_the_cause_of_an_error: "log: reconcile_raised",
    into_another_object: "configmaps/default/one: .metadata.annotations.url",
    encoded: "configmaps/default/one: .data.key",
    into_an_event: "events/default/one.*: .message",
    into_a_metric: "metrics: controller",
}


@pytest.mark.parametrize("leak", SINKS, ids=lambda leak: leak.__name__)
def test_a_secret_is_found(leak: Leak) -> None:
    found = complaints(leak)

    assert found
    assert all(fnmatch(each, f"{NAMED} is in {SINKS[leak].replace('[', '[[]')}") for each in found)


def test_a_scenario_can_say_where_a_secret_belongs() -> None:
    assert complaints(into_another_object, secrets_belong=["configmaps/*: .metadata.annotations.url"]) == []


def test_what_the_log_blots_out_is_not_told() -> None:
    assert complaints(lambda _, password: structlog.get_logger().warning("login", password=password)) == []


def test_a_certificate_is_no_secret() -> None:
    certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"

    def leak(manager: Manager, _password: str) -> None:
        data = {"tls.crt": b64encode(certificate.encode()).decode()}
        manager.client.merge_patch(Secret, ONE, {"data": data})
        manager.client.merge_patch(ConfigMap, ONE, {"data": {"ca": certificate}})

    assert complaints(leak) == []


def test_metrics_of_the_dead_that_hold_a_lock_stop_nobody() -> None:
    class Reconciler:
        def __init__(self, manager: Manager) -> None:
            self._manager = manager

        def reconcile(self, _request: Request) -> Result:
            lock = self._manager.runtime.lock()

            class Counted:
                def collect(self) -> list[Metric]:
                    with lock:
                        return []

            self._manager.registry.register(Counted())
            with lock:
                self._manager.client.merge_patch(ConfigMap, ONE, {"data": {"text": "done"}})
            return Result.await_change()

    def register(manager: Manager) -> None:
        manager.add_controller("test", Reconciler(manager), [Primary(manager.informer(Secret))])

    crash = Fault("crash_after", "PATCH /api/v1/namespaces/default/configmaps/one")

    assert Simulation(Scenario({"controller": register}, workload)).run(Plan(0, (crash,))).violations == ()
