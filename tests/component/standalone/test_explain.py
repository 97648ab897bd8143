"""`windlass explain`, as somebody types it beside a running process."""

import json
import signal
import socket
from pathlib import Path

import pytest

from framework.testing.control_plane.ports import free_port
from tests.component.standalone.clusters import objects_of, run, serve
from tests.integration.requeststate.processes import Process, Windlass

USAGE, FAILED = 2, 1


def serve_with_page(windlass: Windlass, tmp_path: Path) -> str:
    """A process that has completed the request `first`; the address of its debug page."""
    address = f"127.0.0.1:{free_port()}"
    process = serve(windlass, tmp_path / "data", f"-debug-bind-address={address}")
    with objects_of(process) as objects:
        objects.create("first")
        objects.wait_until_complete("first")
    return address


def said_in_one_line(process: Process) -> str:
    (line,) = process.stderr.splitlines()
    assert line.startswith("windlass: explain: ")
    return line


def test_object_is_explained_by_every_controller_that_looked_at_it(windlass: Windlass, tmp_path: Path) -> None:
    address = serve_with_page(windlass, tmp_path)

    # As inside of a container whose process was told its address by a variable.
    asked = windlass.start_bare(
        "explain", "requeststate", "default/first", environment={"WINDLASS_DEBUG_BIND_ADDRESS": address}
    )

    assert asked.wait() == 0
    assert asked.stderr == ""
    assert "RequestState default/first, requeststate-worker: " in asked.stdout
    assert "RequestState default/first, requeststate-director: " in asked.stdout
    assert "why     requeststates.com.redhat.ecosystem.sample default/first changed: version " in asked.stdout
    assert "cache   requeststates.com.redhat.ecosystem.sample default/first: version " in asked.stdout
    assert "wrote   patch requeststates.com.redhat.ecosystem.sample/status default/first: version " in asked.stdout
    assert "result  done; waits for a change, after " in asked.stdout


def test_explanation_is_json_for_programs_that_ask_for_it(windlass: Windlass, tmp_path: Path) -> None:
    address = serve_with_page(windlass, tmp_path)

    # By its short name, and in whatever namespace it is.
    asked = windlass.start_bare("explain", "reqstate", "first", "-output=json", "-address", address)

    assert asked.wait() == 0
    page = json.loads(asked.stdout)
    assert page["kind"] == "RequestState"
    director = next(each for each in page["controllers"] if each["controller"] == "requeststate-director")
    assert director["object"] == "default/first"
    assert director["count"] >= len(director["runs"]) > 1
    last = director["runs"][-1]
    assert (last["outcome"], last["reasons"][0]["what"], last["reasons"][0]["object"]) == (
        "success",
        "changed",
        "default/first",
    )


def test_questions_without_an_answer_are_one_line_each(windlass: Windlass, tmp_path: Path) -> None:
    address = serve_with_page(windlass, tmp_path)

    unknown_kind = windlass.start_bare("explain", "gadget", "default/first", "-address", address)
    unknown_object = windlass.start_bare("explain", "reqstate", "default/nobody", "-address", address)

    assert unknown_kind.wait() == FAILED
    assert "no controller here is for 'gadget'; known: RequestState" in said_in_one_line(unknown_kind)
    assert unknown_object.wait() == FAILED
    assert "default/nobody has not been reconciled by " in said_in_one_line(unknown_object)


BAD_ARGUMENTS = {
    (): "the following arguments are required: kind, object",
    ("reqstate",): "the following arguments are required: object",
    ("reqstate", "default/first", "more"): "unrecognized arguments: more",
    ("reqstate", "default/first", "-output=yaml"): "invalid choice: 'yaml'",
    ("reqstate", "default/first", "-address=10.0.0.1:80"): "-address: '10.0.0.1:80' is not on loopback",
    ("reqstate", "default/first", "-address=here"): "-address: 'here' is not HOST:PORT",
    ("reqstate", "default/first"): "WINDLASS_DEBUG_BIND_ADDRESS is 0",
}


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=" ".join)
def test_arguments_that_cannot_be_meant_are_one_line(arguments: tuple[str, ...], windlass: Windlass) -> None:
    process = windlass.start_bare("explain", *arguments)

    assert process.wait() == USAGE
    assert BAD_ARGUMENTS[arguments] in said_in_one_line(process)


def test_nobody_there_is_one_line_that_says_what_to_look_at(windlass: Windlass) -> None:
    address = f"127.0.0.1:{free_port()}"

    process = windlass.start_bare("explain", "reqstate", "default/first", f"-address={address}")

    assert process.wait() == FAILED
    line = said_in_one_line(process)
    assert f"no windlass answers at {address}" in line
    assert "-debug-bind-address" in line


def test_somebody_else_there_is_one_line(windlass: Windlass) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        process = windlass.start_bare("explain", "reqstate", "a", f"-address=127.0.0.1:{other.getsockname()[1]}")
        connection, _ = other.accept()
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        connection.close()

        assert process.wait() == FAILED

    assert "is no windlass of this version" in said_in_one_line(process)


def test_help_shows_how_it_is_used(windlass: Windlass) -> None:
    process = windlass.start_bare("explain", "-help")

    assert process.wait() == 0
    assert process.stdout.startswith("usage: windlass explain KIND [NAMESPACE/]NAME")


def test_address_that_is_taken_is_one_warning_and_the_flow_goes_on(windlass: Windlass) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"

        process = run(windlass, "-name=one", f"-debug-bind-address={address}")

        assert process.wait() == 0

    (warning,) = [log for log in process.logs if log["level"] == "warning"]
    assert warning["event"] == "debug_page_not_served"
    assert address in warning["error"]


@pytest.mark.parametrize("address", [":8090", "0.0.0.0:8090", "example.com:80"])
def test_page_is_served_on_loopback_only(address: str, windlass: Windlass) -> None:
    process = run(windlass, f"-debug-bind-address={address}")

    assert process.wait() == USAGE
    assert process.stderr == (
        f"windlass: -debug-bind-address: '{address}' is not on loopback; write for example 127.0.0.1:8090\n"
    )


def test_page_ends_with_the_process(windlass: Windlass, tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    process = serve(windlass, tmp_path / "data", f"-debug-bind-address={address}")

    process.send(signal.SIGTERM)

    assert process.wait(30.0) == 0
    host, port = address.split(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), timeout=5)
