"""EC2 as moto's server plays it, behind a proxy that counts requests and can answer some of them itself."""

import http.client
import re
import threading  # noqa: TID251 - servers of a test
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import botocore.session
import msgspec
from moto.server import ThreadedMotoServer

REGION = "us-east-1"
_ANY_IMAGE = "ami-0123456789abcdef0"
_LONGEST_HOLD_SECONDS = 120.0
_HOP_HEADERS = frozenset({"connection", "transfer-encoding", "content-length", "date", "server"})
_CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/")


class Asked(msgspec.Struct, frozen=True):
    """One request that reached the proxy."""

    action: str
    key_id: str
    region: str
    parameters: dict[str, str]
    at: datetime

    @property
    def instance(self) -> str:
        return self.parameters.get("InstanceId.1", "")


class Refusal(msgspec.Struct, frozen=True):
    code: str
    status: int = 400
    message: str = "said by the test"


class Held:
    """The answer to an action that has had its effect: nobody hears of it before `release`."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.is_reached, self._is_released = threading.Event(), threading.Event()

    def reach(self) -> None:
        self.is_reached.set()
        self._is_released.wait(_LONGEST_HOLD_SECONDS)

    def release(self) -> None:
        self._is_released.set()


Rule = Callable[[Asked], Refusal | None]


class Ec2:
    def __init__(self) -> None:
        self._moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._moto.start()
        self.moto_address = self._moto.get_host_and_port()
        self._lock = threading.Lock()
        self._asked: list[Asked] = []
        self._rule: Rule | None = None
        self._held: Held | None = None
        self._proxy = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._proxy.daemon_threads = True
        self._thread = threading.Thread(target=self._proxy.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._proxy.server_address[1]}"
        self._clients: dict[str, Any] = {}

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._proxy.shutdown()
        self._proxy.server_close()
        self._thread.join()
        self._moto.stop()

    # What the controller asked for.

    def reset(self) -> None:
        with self._lock:
            self._asked, self._rule, self._held = [], None, None

    def answer_by(self, rule: Rule | None) -> None:
        """*rule* is asked first; None from it lets the request pass to moto."""
        with self._lock:
            self._rule = rule

    def hold(self, action: str) -> Held:
        with self._lock:
            self._held = Held(action)
            return self._held

    def held(self, action: str) -> Held | None:
        with self._lock:
            return self._held if self._held and self._held.action == action else None

    def asked(self, action: str = "", instance: str = "") -> list[Asked]:
        with self._lock:
            found = list(self._asked)
        return [each for each in found if action in ("", each.action) and instance in ("", each.instance)]

    def hear(self, asked: Asked) -> Refusal | None:
        with self._lock:
            self._asked.append(asked)
            return self._rule(asked) if self._rule else None

    # What the adaptor does, past the proxy.

    def run_instance(self, name: str = "podvm-shop-12345678", region: str = REGION) -> str:
        client = self.client(region)
        tags = [{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": name}]}]
        made = client.run_instances(ImageId=_ANY_IMAGE, MinCount=1, MaxCount=1, TagSpecifications=tags)
        return str(made["Instances"][0]["InstanceId"])

    def give_address(self, instance: str) -> str:
        allocation = str(self.client().allocate_address(Domain="vpc")["AllocationId"])
        self.client().associate_address(AllocationId=allocation, InstanceId=instance)
        return allocation

    def has_address(self, allocation: str) -> bool:
        return any(each["AllocationId"] == allocation for each in self.client().describe_addresses()["Addresses"])

    def state_of(self, instance: str, region: str = REGION) -> str:
        found = self.client(region).describe_instances(InstanceIds=[instance])
        return str(found["Reservations"][0]["Instances"][0]["State"]["Name"])

    def client(self, region: str = REGION) -> Any:
        if region not in self._clients:
            host, port = self.moto_address
            self._clients[region] = botocore.session.Session().create_client(
                "ec2",
                region_name=region,
                endpoint_url=f"http://{host}:{port}",
                aws_access_key_id="user",
                aws_secret_access_key="user",
            )
        return self._clients[region]


def _handler_of(ec2: Ec2) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked = _asked(self.headers, body)
            refusal = ec2.hear(asked)
            if refusal is None:
                self._pass_on(asked.action, body)
            else:
                self._answer(refusal.status, {"Content-Type": "text/xml"}, _refusal_document(refusal))

        def log_message(self, *_arguments: object) -> None:
            """Nobody reads it."""

        def _pass_on(self, action: str, body: bytes) -> None:
            connection = http.client.HTTPConnection(*ec2.moto_address, timeout=60)
            try:
                connection.request("POST", self.path, body, dict(self.headers))
                answer = connection.getresponse()
                headers = {k: v for k, v in answer.getheaders() if k.lower() not in _HOP_HEADERS}
                content = answer.read()
            finally:
                connection.close()
            if held := ec2.held(action):
                held.reach()
            # Who asked may be dead by now.
            with suppress(OSError):
                self._answer(answer.status, headers, content)

        def _answer(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

    return Handler


def _asked(headers: Any, body: bytes) -> Asked:
    parameters = {name: values[0] for name, values in parse_qs(body.decode()).items()}
    found = _CREDENTIAL.search(headers.get("Authorization", ""))
    key_id, region = found.groups() if found else ("", "")
    now = datetime.now(UTC)  # noqa: TID251 - compared with times of the API server
    return Asked(parameters.get("Action", ""), key_id, region, parameters, now)


def _refusal_document(refusal: Refusal) -> bytes:
    error = f"<Error><Code>{refusal.code}</Code><Message>{refusal.message}</Message></Error>"
    return f"<Response><Errors>{error}</Errors><RequestID>test</RequestID></Response>".encode()
