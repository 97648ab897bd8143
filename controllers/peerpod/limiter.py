"""Not too many deletions at once for one account of one cloud, nor too fast."""

from collections import OrderedDict

from framework.clock import Clock
from framework.runtime import Runtime

MOST_PARALLEL = 4
PER_SECOND, BURST = 5.0, 10
# Accounts that are remembered; of one that was forgotten the bucket is full again.
_MOST_ACCOUNTS = 64
_PAUSE_SECONDS = 0.2
_KEPT_SECONDS = 60.0


class NotYet(Exception):
    """No failure: it is to be tried again in *seconds*."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not before {seconds:.3f} s have passed")
        self.seconds = seconds


class Account:
    """A token bucket that gives out turns, so that who waits need not ask again and again; guarded by its Limiter."""

    def __init__(self) -> None:
        self.under_way = 0
        self.closed_until = float("-inf")
        # The turn of the next who asks, on the monotonic clock.
        self._next_turn = float("-inf")
        self._turns: dict[str, float] = {}

    def seconds_to_turn(self, who: str, now: float) -> float:
        turn = self._turns.get(who)
        if turn is None or turn < self.closed_until:
            turn = self._turns[who] = self._new_turn(now)
        return max(0.0, turn - now)

    def use_turn(self, who: str) -> None:
        self._turns.pop(who, None)

    def _new_turn(self, now: float) -> float:
        # Whose turn was long ago does not come any more: its PeerPod went another way.
        self._turns = {who: turn for who, turn in self._turns.items() if turn > now - _KEPT_SECONDS}
        turn = max(self._next_turn, now - (BURST - 1) / PER_SECOND, self.closed_until)
        self._next_turn = turn + 1 / PER_SECOND
        return turn


class Limiter:
    def __init__(self, clock: Clock, runtime: Runtime) -> None:
        self._clock = clock
        self._lock = runtime.lock()
        self._accounts: OrderedDict[tuple[str, str], Account] = OrderedDict()

    def begin(self, account: tuple[str, str], who: str) -> None:
        """NotYet unless it is the turn of *who*; to be followed by `end`."""
        with self._lock:
            state = self._account(account)
            wait = state.seconds_to_turn(who, self._clock.monotonic())
            if wait <= 0 and state.under_way >= MOST_PARALLEL:
                wait = _PAUSE_SECONDS
            if wait > 0:
                raise NotYet(wait)
            state.use_turn(who)
            state.under_way += 1

    def end(self, account: tuple[str, str]) -> None:
        with self._lock:
            self._account(account).under_way -= 1

    def seconds_to_turn(self, account: tuple[str, str], who: str) -> float:
        with self._lock:
            return self._account(account).seconds_to_turn(who, self._clock.monotonic())

    def close(self, account: tuple[str, str], seconds: float) -> None:
        """The cloud wants to hear nothing for so long."""
        with self._lock:
            state = self._account(account)
            state.closed_until = max(state.closed_until, self._clock.monotonic() + seconds)

    def _account(self, account: tuple[str, str]) -> Account:
        state = self._accounts.setdefault(account, Account())
        self._accounts.move_to_end(account)
        idle = [key for key, each in self._accounts.items() if not each.under_way]
        for key in idle[: max(0, len(self._accounts) - _MOST_ACCOUNTS)]:
            del self._accounts[key]
        return state
