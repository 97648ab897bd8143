"""SIGTERM and SIGINT as an Event."""

import os
import signal
from types import FrameType

from framework.runtime import Event, ThreadRuntime


def stop_on_signals() -> Event:
    """An Event that SIGTERM or SIGINT sets; a second signal ends the process at once. For the main thread only."""
    stop = ThreadRuntime().event()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    return stop
