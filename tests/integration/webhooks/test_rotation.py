"""Leaf and authority are exchanged while the API server asks fifty times a second; not one request is refused."""

import ssl
from datetime import timedelta
from typing import Any

import msgspec

from apis.core.v1 import ConfigMap
from apis.meta import Key
from framework.certificates import CertificateOptions
from framework.client import Access, Observer
from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.waiting import wait_until
from framework.webhooks.configuration import VALIDATING
from framework.webhooks.options import WEBHOOK_HTTP
from tests.component.webhooks.replicas import authorities
from tests.integration.webhooks.stage import Stage

REQUESTS_EACH_SECOND = 50
LANES = 5
SECONDS = 20.0
# An authority every ten seconds or so, and a certificate every four: what else takes years.
QUICKLY = CertificateOptions(
    authority_lifetime=timedelta(seconds=60),
    authority_renewed_before=timedelta(seconds=53),
    lifetime=timedelta(seconds=20),
    renewed_before=timedelta(seconds=16),
    trust_seconds=3.0,
    overlap=timedelta(seconds=3),
    poll_seconds=0.2,
)
CLOCK, RUNTIME = SystemClock(), ThreadRuntime()


class SlowWrites(Observer):
    """Whoever shows what nobody was told to trust yet is found out."""

    def sending(self, access: Access) -> None:
        if not access.is_read and access.resource_type is VALIDATING:
            CLOCK.wait(0.5)


class Lane:
    """Creates one ConfigMap after the other, a fixed number a second."""

    def __init__(self, stage: Stage, number: int, ends_at: float) -> None:
        self.failures: list[str] = []
        self.made = 0
        self._stage = stage
        self._number = number
        self._ends_at = ends_at
        self.task = RUNTIME.spawn(f"lane-{number}", self._run)

    def _run(self) -> None:
        pause = LANES / REQUESTS_EACH_SECOND
        due = CLOCK.monotonic()
        while due < self._ends_at:
            try:
                self._stage.create(f"lane-{self._number}-{self.made}")
            except WindlassError as error:
                self.failures.append(str(error))
            self.made += 1
            due += pause
            CLOCK.wait(max(0.0, due - CLOCK.monotonic()))


def test_no_request_is_refused_while_certificates_are_exchanged(stage: Stage) -> None:
    seen: list[Any] = []
    shown: set[bytes] = set()
    bundles: list[bytes] = []
    secret = Key(stage.namespace, "certificates")
    manager = stage.manager(
        msgspec.structs.replace(QUICKLY, secret=secret),
        (SlowWrites(),),
        # A handshake for each request: connections that stay would not notice an exchange.
        http=msgspec.structs.replace(WEBHOOK_HTTP, max_requests_each=1),
    )
    manager.webhooks.validate(ConfigMap, seen.append, stage.hook_options())
    stage.start(manager)
    stage.until_called(seen)
    seen.clear()

    lanes = [Lane(stage, number, CLOCK.monotonic() + SECONDS) for number in range(LANES)]

    def is_over() -> bool:
        bundle = stage.bundle()
        if not bundles or bundles[-1] != bundle:
            bundles.append(bundle)
        shown.add(ssl.get_server_certificate(("127.0.0.1", manager.webhooks.port)).encode())
        return not any(lane.task.is_alive() for lane in lanes)

    assert wait_until(is_over, limit_seconds=SECONDS + 120)
    made = sum(lane.made for lane in lanes)
    assert [failure for lane in lanes for failure in lane.failures] == []
    assert made >= SECONDS * REQUESTS_EACH_SECOND * 0.8, "the machine was too slow to ask this often"
    assert len(seen) == made
    assert len(shown) >= 4
    assert {len(authorities(bundle)) for bundle in bundles} >= {1, 2}
    assert bundles[0] not in bundles[-1], "the first authority is forgotten"
