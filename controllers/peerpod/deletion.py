"""One attempt to delete the VM of a PeerPod, with everything between the wish and the cloud."""

import msgspec
from tenacity import RetryCallState, Retrying, retry_if_exception_type

from apis.confidentialcontainers.peerpod import PeerPod
from controllers.peerpod.arrivals import Arrivals
from controllers.peerpod.calls import Abandoned, Calls
from controllers.peerpod.candidates import Candidate, Candidates
from controllers.peerpod.clients import Clients, fingerprint
from controllers.peerpod.limiter import Limiter
from controllers.peerpod.owner import owner_pod
from controllers.peerpod.provider import (
    Accepted,
    AuthFailed,
    CloudProvider,
    Gone,
    Hints,
    InProgress,
    Note,
    Outcome,
    ProviderError,
    Throttled,
    Transient,
)
from controllers.peerpod.redaction import redacted
from controllers.peerpod.registry import Registry
from controllers.peerpods.options import PeerPodOptions
from framework.client import current_fence
from framework.clock import Clock
from framework.randomness import Random
from framework.runtime import Event

MOST_ATTEMPTS = 3
RETRY_SECONDS = 20.0
# Of all that a reconcile does; the rest is for the API server.
DELETE_SECONDS = 40.0
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.5, 5.0
# Where a cloud does not say for how long it wants to hear nothing.
_CLOSED_SECONDS = 1.0


class _Target(msgspec.Struct, frozen=True):
    """Everything about one attempt with one set of settings."""

    uid: str
    instance_id: str
    hints: Hints
    provider: type[CloudProvider]
    candidate: Candidate
    settings: dict[str, str]

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.provider, self.settings)

    @property
    def account(self) -> tuple[str, str]:
        return self.candidate.provider, self.fingerprint

    @property
    def origin(self) -> str:
        """Where its settings are: of two clients for one origin the older has old credentials."""
        ref, provider = self.candidate.ref, self.provider
        places = [self.settings.get(key, "") for key in provider.location_keys if key not in provider.secret_keys]
        return repr((provider.name, ref.namespace, ref.config_map_name, ref.secret_name, places))


class Deletion:
    def __init__(
        self,
        *,
        candidates: Candidates,
        arrivals: Arrivals,
        registry: Registry,
        clients: Clients,
        limiter: Limiter,
        calls: Calls,
        options: PeerPodOptions,
        clock: Clock,
        random: Random,
        stopping: Event,
    ) -> None:
        self._candidates = candidates
        self._arrivals = arrivals
        self._registry = registry
        self._clients = clients
        self._limiter = limiter
        self._calls = calls
        self._options = options
        self._clock = clock
        self._random = random
        self._stopping = stopping

    def attempt(self, peer_pod: PeerPod, seconds_seen: float) -> Outcome:
        """What came of it; NotYet, or a ProviderError without anything secret in its text.

        This process has been at it for *seconds_seen*.
        """
        notes: list[Note] = []
        errors: list[ProviderError] = []
        for candidate in self._candidates.of(peer_pod):
            try:
                outcome = self._with(self._target(peer_pod, candidate, seconds_seen), peer_pod)
            except ProviderError as error:
                errors.append(error)
                continue
            notes.extend(outcome.notes)
            if isinstance(outcome, Accepted | InProgress):
                return msgspec.structs.replace(outcome, notes=tuple(notes))
        # Gone only if all say so: one who asks at the wrong place finds nothing, too.
        if errors:
            raise errors[0]
        return Gone(tuple(notes))

    def _target(self, peer_pod: PeerPod, candidate: Candidate, seconds_seen: float) -> _Target:
        owner, created = owner_pod(peer_pod), peer_pod.metadata.creation_timestamp
        # A clock that was set must not make a VM old that is new, nor new for hours what is old.
        age = self._arrivals.seconds_since(peer_pod.metadata.uid)
        if age is None:
            age = max((self._clock.now() - created).total_seconds() if created else 0.0, seconds_seen)
        hints = Hints(
            pod_namespace=peer_pod.metadata.namespace if owner else "",
            pod_name=owner.name if owner else "",
            peer_pod_age_seconds=age,
            name_guard=self._options.instance_name_guard,
        )
        return _Target(
            uid=peer_pod.metadata.uid,
            instance_id=peer_pod.spec.instance_id if peer_pod.spec else "",
            hints=hints,
            provider=self._registry.load(candidate.provider),
            candidate=candidate,
            settings={**candidate.values, **peer_pod.status.location},
        )

    def _with(self, target: _Target, peer_pod: PeerPod) -> Outcome:
        try:
            return self._retried(target)
        except AuthFailed:
            self._clients.drop(target.fingerprint)
            fresh = self._read_again(target, peer_pod)
            if fresh is None:
                raise
            return self._retried(fresh)

    def _read_again(self, target: _Target, peer_pod: PeerPod) -> _Target | None:
        """With settings that are others by now; None if they are not."""
        for candidate in self._candidates.of(peer_pod):
            fresh = msgspec.structs.replace(
                target, candidate=candidate, settings={**candidate.values, **peer_pod.status.location}
            )
            if candidate.ref == target.candidate.ref and fresh.fingerprint != target.fingerprint:
                return fresh
        return None

    def _retried(self, target: _Target) -> Outcome:
        began = self._clock.monotonic()

        def seconds_to_wait(state: RetryCallState) -> float:
            longest = min(_FIRST_WAIT_SECONDS * 2.0 ** (state.attempt_number - 1), _LONGEST_WAIT_SECONDS)
            return max(self._random.uniform(0, longest), self._limiter.seconds_to_turn(target.account, target.uid))

        def is_enough(state: RetryCallState) -> bool:
            over = self._clock.monotonic() - began + state.upcoming_sleep >= RETRY_SECONDS
            return state.attempt_number >= MOST_ATTEMPTS or over or self._stopping.is_set()

        retrying = Retrying(
            retry=retry_if_exception_type((Transient, Throttled)),
            wait=seconds_to_wait,
            stop=is_enough,
            sleep=self._pause,
            reraise=True,
        )
        return retrying(self._once, target, began + DELETE_SECONDS)

    def _pause(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def _once(self, target: _Target, deadline: float) -> Outcome:
        self._limiter.begin(target.account, target.uid)
        try:
            return self._call(target, deadline - self._clock.monotonic())
        except Throttled as error:
            self._limiter.close(target.account, error.after_seconds or _CLOSED_SECONDS)
            raise
        finally:
            self._limiter.end(target.account)

    def _call(self, target: _Target, timeout_seconds: float) -> Outcome:
        try:
            with self._clients.lease(target.provider, target.settings, target.origin) as client:
                fence = current_fence()
                if fence is not None:
                    # What is done in a cloud no API server can refuse.
                    fence.check()
                return self._calls.run(lambda: _delete(client, target, timeout_seconds), timeout_seconds)
        except ProviderError as error:
            if isinstance(error, Abandoned):
                self._clients.close_now(target.fingerprint)
            raise _public(error, target) from None


def _delete(client: CloudProvider, target: _Target, timeout_seconds: float) -> Outcome:
    client.validate_instance_id(target.instance_id)
    return client.delete(target.instance_id, target.hints, timeout_seconds)


def _public(error: ProviderError, target: _Target) -> ProviderError:
    """The same without secrets in its text."""
    error.args = (redacted(str(error), target.settings, target.provider.secret_keys),)
    return error
