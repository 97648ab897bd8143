"""Signals, in a process of their own: a handler belongs to a whole process."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

PROGRAM = """
from framework.signals import stop_on_signals
stop = stop_on_signals()
print("ready", flush=True)
stop.wait()
print("stopping", flush=True)
input()
"""


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        yield started
        started.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_first_signal_asks_to_stop(process: subprocess.Popen[str], number: signal.Signals) -> None:
    process.send_signal(number)

    assert process.communicate("\n", timeout=30)[0] == "stopping\n"
    assert process.returncode == 0


def test_second_signal_ends_the_process_at_once(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)
    assert process.stdout is not None
    assert process.stdout.readline() == "stopping\n"

    process.send_signal(signal.SIGINT)

    assert process.wait(30) == 128 + signal.SIGINT
