"""Who may do what, and how everybody else hears of it."""

import pytest

from apis.core.v1 import Secret
from apis.meta import Key
from framework.testing.control_plane.waiting import wait_until
from tests.component.cfapi.world import TOKENS, World, hello


@pytest.mark.parametrize(
    ("token", "expected"),
    [("", (401, 10000)), ("wrong", (401, 10000)), (TOKENS["other"], (403, 10000)), (TOKENS["read"], (403, 10000))],
)
def test_upload_needs_a_token_that_may_write_to_the_account(
    quiet_world: World, token: str, expected: tuple[int, int]
) -> None:
    assert quiet_world.error("PUT", quiet_world.workers("/scripts/hello"), token=token, files=hello()) == expected
    assert quiet_world.keys() == []


def test_token_that_reads_may_read(quiet_world: World) -> None:
    assert quiet_world.result("GET", quiet_world.workers("/scripts"), token=TOKENS["read"]) == []


@pytest.mark.parametrize("path", ["/user", "/nowhere", "/accounts/acme/workers/scripts"])
def test_stranger_learns_nothing_of_any_path(quiet_world: World, path: str) -> None:
    assert quiet_world.error("GET", path, token="") == (401, 10000)


def test_login_with_an_api_key_is_no_token(quiet_world: World) -> None:
    headers = {"X-Auth-Key": TOKENS["write"], "X-Auth-Email": "dev@example.com"}

    assert quiet_world.error("GET", "/user", token="", headers=headers) == (401, 10000)


def test_token_is_void_as_soon_as_its_secret_is_gone(world: World) -> None:
    world.client.delete(Secret, Key(world.namespace, "token-write"))

    assert wait_until(lambda: world.request("GET", "/user").status_code == 401, limit_seconds=10)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/accounts/elsewhere/workers/scripts", (404, 7003)),
        ("/accounts/Not%2FAn%20Account/workers/scripts", (404, 7003)),
        ("/accounts/acme/workers/nonsense", (404, 7003)),
        ("/accounts/acme/workers/scripts/hello/settings", (404, 10007)),
        ("/accounts/acme/workers/services/hello", (404, 10090)),
        ("/accounts/acme/workers/scripts/Foo%2F..%2Fbar/settings", (400, 10021)),
    ],
)
def test_what_is_not_there_has_its_code(quiet_world: World, path: str, expected: tuple[int, int]) -> None:
    assert quiet_world.error("GET", path, token=TOKENS["all"]) == expected


def test_accounts_are_those_of_the_token_that_exist(world: World) -> None:
    world.make_account("second", display_name="The second")
    assert wait_until(lambda: len(world.result("GET", "/accounts", token=TOKENS["all"])) == 2, limit_seconds=10)

    assert world.result("GET", "/accounts") == [{"id": "acme", "name": "acme"}]
    assert world.result("GET", "/accounts", token=TOKENS["other"]) == []
    assert world.result("GET", "/accounts/second", token=TOKENS["all"]) == {"id": "second", "name": "The second"}
    (membership,) = world.result("GET", "/memberships")
    assert (membership["account"]["id"], membership["status"]) == ("acme", "accepted")


def test_account_without_a_subdomain_has_its_name_until_one_is_set(world: World) -> None:
    path = world.workers("/subdomain")
    assert world.result("GET", path) == {"subdomain": "acme"}

    world.result("PUT", path, json={"subdomain": "acme-inc"})

    assert wait_until(lambda: world.result("GET", path) == {"subdomain": "acme-inc"}, limit_seconds=10)
    assert world.error("PUT", path, json={"subdomain": "Not A Label"}) == (400, 10021)


def test_probes_and_metrics_need_no_token(quiet_world: World) -> None:
    quiet_world.error("GET", "/nowhere")

    assert quiet_world.get("/healthz").ok
    assert wait_until(lambda: quiet_world.get("/readyz").ok, limit_seconds=10)
    assert "[+]s3 ok" in quiet_world.get("/readyz").text
    metrics = quiet_world.get("/metrics").text
    assert 'workers_api_requests_total{code="404",route="other"}' in metrics
    assert 'workers_api_requests_total{code="200",route="/user"}' in metrics
