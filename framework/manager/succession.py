"""What is between winning the Lease and working: which controllers may begin, and under which fence."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import msgspec

from framework.client import Access, Fence, Observer, current_fence
from framework.clock import Clock
from framework.controller import Controller
from framework.informers import SharedInformer
from framework.manager.acted_upon import ActedUpon
from framework.manager.catch_up import CatchUp
from framework.manager.leadership import Leadership
from framework.runtime import Runtime

Informer = SharedInformer[Any]


class Succession:
    """The leader-elected controllers of one process, from one leader to the next."""

    def __init__(
        self,
        controllers: Callable[[], Collection[Controller]],
        informers: Callable[[], Iterable[Informer]],
        *,
        clock: Clock,
        runtime: Runtime,
    ) -> None:
        self._controllers = controllers
        self._informers = informers
        self._acted_upon = ActedUpon(self._cached, runtime)
        self._catch_up = CatchUp(self._concerned, self._acted_upon, clock=clock, runtime=runtime)
        self._recorded: Mapping[str, int] = {}
        self._is_whole = True
        self._has_led = False

    def inherit(self, recorded: str, *, is_whole: bool) -> None:
        self._recorded = self._acted_upon.inherit(recorded)
        self._is_whole = is_whole

    def record(self) -> str:
        return self._acted_upon.text()

    def begin(self, *, is_takeover: bool) -> None:
        for informer in self._concerned():
            # The server has just answered. After an outage a cache could wait for another minute to find that out.
            informer.retry_now()
        if is_takeover:
            self._take_over()

    def _take_over(self) -> None:
        self._catch_up.begin(self._recorded, is_whole=self._is_whole)
        if self._has_led:
            # Another has led meanwhile. What it wanted to look at again it has taken with it.
            for controller in self._elected():
                controller.look_again()
        self._has_led = True

    def problem(self, leadership: Leadership) -> str | None:
        """Why a leader does not work, or not all of it, in one line; None when it does, and for a standby."""
        return self._catch_up.problem if leadership.is_set() else None

    @property
    def caches_behind(self) -> int:
        return self._catch_up.count

    def stop(self) -> None:
        self._catch_up.stop()

    def turn_of(self, controller: Controller, leadership: Leadership) -> "LeaderTurn":
        def concerns(informer: Informer) -> bool:
            return informer in controller.informers or not self._is_followed(informer)

        return LeaderTurn(leadership, self._catch_up, concerns)

    def observer_of(self, controller: str, leadership: Leadership) -> Observer:
        return _LeaderObserver(
            leadership, self._acted_upon, lambda: controller in {each.name for each in self._elected()}
        )

    def _elected(self) -> list[Controller]:
        return [each for each in self._controllers() if each.options.needs_leader]

    def _is_followed(self, informer: Informer) -> bool:
        """Whether it is a source of somebody. Others are read by reconcilers of which we cannot know."""
        return any(informer in each.informers for each in self._controllers())

    def _concerned(self) -> list[Informer]:
        """The caches that leader-elected controllers act upon, or may."""
        elected = [each.informers for each in self._elected()]
        return [
            informer
            for informer in self._informers()
            if any(informer in each for each in elected) or not self._is_followed(informer)
        ]

    def _cached(self) -> Mapping[str, int]:
        versions: dict[str, int] = {}
        for informer in self._concerned():
            name = informer.resource_type.name
            versions[name] = max(versions.get(name, 0), informer.changed_version)
        return versions


class LeaderTurn:
    """A controller works while this process leads and the caches that concern it are new enough."""

    def __init__(self, leadership: Leadership, catch_up: CatchUp, concerns: Callable[[Informer], bool]) -> None:
        self._leadership = leadership
        self._catch_up = catch_up
        self._concerns = concerns

    def wait(self, timeout: float | None = None) -> bool:
        return self._leadership.wait(timeout) and self._catch_up.wait(self._concerns, timeout)

    def fence(self) -> Fence | None:
        # In this order: what a term must wait for is known before it begins.
        fence = self._leadership.fence()
        return None if fence is None or self._catch_up.blocks(self._concerns) else fence


class _Answer(msgspec.Struct, frozen=True):
    class Metadata(msgspec.Struct, frozen=True, rename="camel"):
        resource_version: str = ""

    metadata: Metadata = Metadata()


class _LeaderObserver(Observer):
    """Sits in the client of a leader-elected controller.

    Writes of a reconcile meet their fence in the connection. Here it is about
    those that a reconciler makes outside of it, in a thread of its own: they
    need a leader at least. And what was written is remembered.
    """

    def __init__(self, leadership: Leadership, acted_upon: ActedUpon, is_elected: Callable[[], bool]) -> None:
        self._leadership = leadership
        self._acted_upon = acted_upon
        self._is_elected = is_elected
        self._decoder = msgspec.json.Decoder(_Answer)

    def sending(self, access: Access) -> None:
        if access.is_read or current_fence() is not None or not self._is_elected():
            return
        self._leadership.check()

    def answered(self, access: Access, answer: bytes) -> None:
        if access.is_read:
            return
        try:
            version = int(self._decoder.decode(answer).metadata.resource_version)
        except ValueError:
            # A Status, or the answer of a subresource: it has no version.
            return
        self._acted_upon.note(access.resource_type.name, version)
