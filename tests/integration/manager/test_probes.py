"""What /healthz and /readyz say about informers on a real server."""

from typing import Any

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key
from framework.testing.relay import Relay


def test_readiness_is_500_until_every_informer_has_synced_and_then_200(
    managers: Any, relay: Relay, page: Any, eventually: Any
) -> None:
    relay.freeze()
    manager = managers.make(through=relay)
    maps = manager.informer(ConfigMap).name
    manager.start()

    status, text = page(manager, "/readyz")
    assert status == 500
    assert f"[-]informer/{maps}: the initial list is not complete" in text
    assert page(manager, "/healthz")[0] == 200

    relay.restore()
    eventually(lambda: page(manager, "/readyz")[0] == 200)
    assert f"[+]informer/{maps} ok" in page(manager, "/readyz")[1]


def test_readiness_names_the_informer_whose_watch_fails_and_why_and_recovers(
    managers: Any, relay: Relay, page: Any, eventually: Any
) -> None:
    manager = managers.make(through=relay)
    names = [manager.informer(kind).name for kind in (ConfigMap, Secret)]
    manager.start()
    eventually(lambda: page(manager, "/readyz")[0] == 200)

    relay.cut()
    eventually(lambda: page(manager, "/readyz")[0] == 500)
    eventually(lambda: all(f"[-]informer/{name}: " in page(manager, "/readyz")[1] for name in names))
    assert "the initial list is not complete" not in page(manager, "/readyz")[1]

    relay.restore()
    eventually(lambda: page(manager, "/readyz")[0] == 200)


def test_missing_rights_are_named_by_informer_and_lease(managers: Any, page: Any, eventually: Any) -> None:
    manager = managers.make(user="nobody", lease=Key("default", "not-ours"))
    name = manager.informer(Secret).name
    manager.start()

    eventually(lambda: f'[-]informer/{name}: secrets is forbidden: User "nobody"' in page(manager, "/readyz")[1])
    eventually(
        lambda: '[-]leader-election: leases.coordination.k8s.io "not-ours" is forbidden' in page(manager, "/readyz")[1]
    )
    assert page(manager, "/readyz")[0] == 500


def test_a_check_of_the_user_counts_for_readiness(managers: Any, page: Any) -> None:
    manager = managers.make()
    manager.add_ready_check("cloud", lambda: "no credentials")
    manager.start()

    assert page(manager, "/readyz") == (500, "[-]cloud: no credentials\ncheck failed\n")
