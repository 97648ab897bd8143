"""What is wrong with the flags or the machine is one line, and exit code 2."""

import socket
from pathlib import Path

import pytest

from tests.component.standalone.clusters import run, serve
from tests.integration.requeststate.processes import Process, Windlass

USAGE = 2
FLAGS_OF_OTHER_MODES = {
    (
        "standalone",
        "-kubeconfig=/somewhere",
    ): "-kubeconfig is a flag of -mode=director and -mode=worker and -mode=manager and -mode=cf-api, not of standalone",
    (
        "standalone",
        "-master=https://127.0.0.1:1",
    ): "-master is a flag of -mode=director and -mode=worker and -mode=manager and -mode=cf-api, not of standalone",
    ("director", "-data-dir=/somewhere"): "-data-dir is a flag of -mode=standalone, not of director",
    ("worker", "-secure-port=6443"): "-secure-port is a flag of -mode=standalone, not of worker",
    ("standalone", "-secure-port=70000"): "-secure-port: '70000' is more than 65535",
    ("manager", "-namespace=a"): "-namespace is a flag of -mode=director and -mode=worker and -mode=standalone",
    ("manager", "-controllers=bundle,nothing"): "-controllers: 'bundle,nothing' has 'nothing' in it, which is none of:",
    ("manager", "-app-namespace-prefix=A-"): "-app-namespace-prefix: 'A-' is not a name",
    ("standalone", "-requests=-1"): "-requests: '-1' is not a whole number of 0 or more",
}


def said_in_one_line(process: Process) -> str:
    assert process.wait() == USAGE
    (line,) = process.stderr.splitlines()
    assert line.startswith("windlass: ")
    return line


@pytest.mark.parametrize(("mode", "flag"), FLAGS_OF_OTHER_MODES)
def test_flag_that_does_not_fit_the_mode_is_refused(mode: str, flag: str, windlass: Windlass) -> None:
    process = windlass.start_bare(f"-mode={mode}", flag)

    assert FLAGS_OF_OTHER_MODES[mode, flag] in said_in_one_line(process)


def test_name_for_many_requests_is_refused_before_anything_starts(windlass: Windlass, tmp_path: Path) -> None:
    process = run(windlass, f"-data-dir={tmp_path}/data", "-name=one", "-requests=2")

    assert "-name=one names one request, but -requests=2 asks for 2" in said_in_one_line(process)
    assert not (tmp_path / "data").exists()


def test_port_that_is_taken_is_named(windlass: Windlass) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        process = run(windlass, f"-secure-port={port}")

        assert f"cannot listen on 127.0.0.1:{port}" in said_in_one_line(process)


def test_data_dir_that_is_a_file_is_refused(windlass: Windlass, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    process = run(windlass, f"-data-dir={tmp_path}/file")

    assert f"-data-dir={tmp_path}/file cannot be used" in said_in_one_line(process)


def test_data_dir_that_cannot_be_made_is_refused(windlass: Windlass, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    process = run(windlass, f"-data-dir={tmp_path}/file/data")

    assert f"-data-dir={tmp_path}/file/data cannot be used" in said_in_one_line(process)


@pytest.mark.parametrize("name", ["pki", "objects.sqlite"])
def test_data_dir_that_cannot_be_written_is_refused(name: str, windlass: Windlass, tmp_path: Path) -> None:
    # Not by rights, which do not hold for root: what must be a file is a folder, and the other way round.
    data = tmp_path / "data"
    data.mkdir()
    (data / name).touch() if name == "pki" else (data / name).mkdir()

    process = run(windlass, f"-data-dir={data}")

    assert "cannot use " in said_in_one_line(process)


def test_data_dir_of_another_process_is_refused_and_that_one_goes_on(windlass: Windlass, tmp_path: Path) -> None:
    first = serve(windlass, tmp_path / "data")
    kubeconfig = (tmp_path / "data" / "kubeconfig").read_text()

    second = run(windlass, f"-data-dir={tmp_path}/data")

    assert "another server is running on it" in said_in_one_line(second)
    assert first.is_running()
    assert (tmp_path / "data" / "kubeconfig").read_text() == kubeconfig


def test_data_of_something_else_are_refused(windlass: Windlass, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "objects.sqlite").write_text("this is not a database, but long enough to be looked at" * 100)

    process = run(windlass, f"-data-dir={tmp_path}/data")

    assert "objects.sqlite" in said_in_one_line(process)
