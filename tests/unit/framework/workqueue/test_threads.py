"""The queue under real threads."""

from collections import Counter

from framework.clock import SystemClock
from framework.errors import QueueShutDown
from framework.runtime import Task, ThreadRuntime
from framework.workqueue import WorkQueue, default_rate_limiter

PRODUCERS, CONSUMERS, ROUNDS, KEYS = 4, 6, 1500, 40
LIMIT_SECONDS = 60.0


class Board:
    """Producers raise a key's version and then add the key; a worker notes the version it finds.

    So an add is lost exactly if a key's last version is never noted.
    """

    def __init__(self, queue: WorkQueue[int], runtime: ThreadRuntime) -> None:
        self._queue = queue
        self._lock = runtime.lock()
        self.versions: Counter[int] = Counter()
        self.seen: dict[int, int] = {}
        self.busy: set[int] = set()
        self.clashes: list[int] = []
        self.every_key_seen = runtime.event()

    def produce(self, seed: int) -> None:
        for number in range(ROUNDS):
            key = (number * 7 + seed * 13) % KEYS
            with self._lock:
                self.versions[key] += 1
            if number % 5 == 0:
                self._queue.add_after(key, 0.0005)
            self._queue.add(key, priority=number % 3)

    def consume(self) -> None:
        try:
            while True:
                key, _ = self._queue.get()
                self._work(key)
                self._queue.done(key)
        except QueueShutDown:
            return

    def _work(self, key: int) -> None:
        with self._lock:
            if key in self.busy:
                self.clashes.append(key)
            self.busy.add(key)
            version = self.versions[key]
        with self._lock:
            self.seen[key] = version
            self.busy.discard(key)
            if len(self.seen) == KEYS:
                self.every_key_seen.set()


def test_no_add_is_lost_and_no_key_has_two_workers_until_the_drain_ends_all() -> None:
    runtime = ThreadRuntime()
    queue = WorkQueue[int]("threads", runtime, SystemClock(), default_rate_limiter())
    board = Board(queue, runtime)

    consumers = [runtime.spawn(f"consumer-{number}", board.consume) for number in range(CONSUMERS)]
    producers = [runtime.spawn(f"producer-{n}", lambda n=n: board.produce(n)) for n in range(PRODUCERS)]  # type: ignore[misc]
    _join(producers)
    drained = queue.shut_down_with_drain(LIMIT_SECONDS)
    _join(consumers)

    assert drained
    assert board.clashes == []
    assert board.seen == dict(board.versions)


def test_shut_down_in_the_middle_of_everything_leaves_nobody_blocked() -> None:
    runtime = ThreadRuntime()
    for _ in range(30):
        queue = WorkQueue[int]("threads", runtime, SystemClock(), default_rate_limiter())
        board = Board(queue, runtime)
        consumers = [runtime.spawn(f"consumer-{number}", board.consume) for number in range(CONSUMERS)]
        producer = runtime.spawn("producer", lambda board=board: board.produce(1))  # type: ignore[misc]

        queue.shut_down()

        _join([*consumers, producer])


def test_workers_that_only_ever_wait_for_delayed_items_get_them_all() -> None:
    runtime = ThreadRuntime()
    queue = WorkQueue[int]("threads", runtime, SystemClock(), default_rate_limiter())
    board = Board(queue, runtime)
    consumers = [runtime.spawn(f"consumer-{number}", board.consume) for number in range(CONSUMERS)]

    for key in range(KEYS):
        queue.add_after(key, 0.001 * (KEYS - key))

    assert board.every_key_seen.wait(LIMIT_SECONDS)
    queue.shut_down()
    _join(consumers)


def test_a_delay_of_centuries_does_not_break_the_sleep() -> None:
    runtime = ThreadRuntime()
    queue = WorkQueue[int]("threads", runtime, SystemClock(), default_rate_limiter())
    board = Board(queue, runtime)
    queue.add_after(-1, 1e13)
    consumer = runtime.spawn("consumer", board.consume)

    queue.add_many(range(KEYS))

    assert board.every_key_seen.wait(LIMIT_SECONDS)
    queue.shut_down()
    _join([consumer])


def _join(tasks: list[Task]) -> None:
    for task in tasks:
        task.join(LIMIT_SECONDS)
    assert not [task.name for task in tasks if task.is_alive()]
