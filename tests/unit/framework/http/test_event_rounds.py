"""When watches are looked at."""

import asyncio
from functools import partial

from framework.http.event_rounds import EventRounds, Waker
from framework.runtime import ThreadRuntime

RUNTIME = ThreadRuntime()


def test_calls_of_another_thread_are_made_on_the_loop_once_each() -> None:
    loop = asyncio.new_event_loop()
    rounds = EventRounds(loop, pause_seconds=0)
    made: list[int] = []

    def call() -> None:
        for n in range(100):
            rounds.call(partial(made.append, n))
        rounds.call(loop.stop)

    task = RUNTIME.spawn("caller", call)
    loop.run_forever()
    task.join(10)

    loop.close()
    assert made == list(range(100))


def test_waker_that_is_called_often_before_a_round_has_one_place_in_it() -> None:
    loop = asyncio.new_event_loop()
    rounds = EventRounds(loop, pause_seconds=0)
    sent: list[str] = []
    wake = Waker(rounds, lambda: sent.append("round"))

    for _ in range(10):
        wake()
    rounds.call(loop.stop)
    loop.run_forever()
    wake()
    rounds.call(loop.stop)
    loop.run_forever()

    loop.close()
    assert sent == ["round", "round"]


def test_event_that_comes_during_a_round_gets_another() -> None:
    loop = asyncio.new_event_loop()
    rounds = EventRounds(loop, pause_seconds=0.001)
    sent: list[int] = []

    def send() -> None:
        sent.append(len(sent))
        if len(sent) < 5:
            wake()
        else:
            loop.stop()

    wake = Waker(rounds, send)
    wake()
    loop.run_forever()

    loop.close()
    assert sent == [0, 1, 2, 3, 4]


def test_call_after_the_end_of_the_loop_is_harmless() -> None:
    loop = asyncio.new_event_loop()
    rounds = EventRounds(loop, pause_seconds=0)
    loop.close()

    rounds.call(lambda: None)
