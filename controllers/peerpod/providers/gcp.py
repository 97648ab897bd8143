"""Instances of Google Compute Engine; the boot disk goes with them, for it is auto-delete."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, ClassVar

import google.auth
import requests
from google.api_core import exceptions as api
from google.api_core.client_options import ClientOptions
from google.auth import exceptions as auth
from google.cloud import compute_v1
from google.oauth2 import service_account
from google.protobuf.json_format import ParseError
from requests.adapters import HTTPAdapter

from controllers.peerpod.provider import (
    AuthFailed,
    Busy,
    Gone,
    Hints,
    InProgress,
    InvalidInstanceID,
    Note,
    Outcome,
    ProviderError,
    SettingsMissing,
    Throttled,
    Transient,
    guard_name,
)
from controllers.peerpod.providers.http_answers import LOOK_AGAIN_SECONDS, error_of
from controllers.peerpod.providers.time_left import CONNECT_SECONDS, TimeLeft
from controllers.peerpod.redaction import redacted
from framework.clock import Clock, SystemClock
from framework.runtime import ThreadRuntime

SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)

_INSTANCE_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
# Google says with 403 that there were too many requests, too.
_RATE_LIMIT = re.compile(r"rate.?limit.?exceeded|quota.?exceeded", re.IGNORECASE)
_NOT_READY = re.compile(r"resourceNotReady|is not ready", re.IGNORECASE)


class GcpProvider:
    name: ClassVar[str] = "gcp"
    extra: ClassVar[str] = "gcp"
    settings_keys: ClassVar[tuple[str, ...]] = ("GCP_CREDENTIALS", "GCP_PROJECT_ID", "GCP_ZONE", "GCP_ENDPOINT")
    secret_keys: ClassVar[tuple[str, ...]] = ("GCP_CREDENTIALS",)
    location_keys: ClassVar[tuple[str, ...]] = ("GCP_PROJECT_ID", "GCP_ZONE", "GCP_ENDPOINT")

    def __init__(self, settings: Mapping[str, str], *, clock: Clock | None = None) -> None:
        if missing := [key for key in ("GCP_PROJECT_ID", "GCP_ZONE") if not settings.get(key)]:
            raise SettingsMissing(*missing)
        self._settings = dict(settings)
        self._clock = clock or SystemClock()
        self._credentials: Any = _service_account(settings) if settings.get("GCP_CREDENTIALS") else None
        # Of instances and of operations; None before the first use.
        self._clients: tuple[Any, Any] | None = None
        self._lock = ThreadRuntime().lock()

    def validate_instance_id(self, instance_id: str) -> None:
        if not _INSTANCE_NAME.fullmatch(instance_id):
            raise InvalidInstanceID(f"{instance_id!r} can be no name of an instance")

    def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:
        self.validate_instance_id(instance_id)
        left = TimeLeft(self._clock, timeout_seconds)
        with self._errors():
            instances, operations = self._connected()
            where = {"project": self._settings["GCP_PROJECT_ID"], "zone": self._settings["GCP_ZONE"]}
            try:
                instance = instances.get(**where, instance=instance_id, retry=None, timeout=left.read_seconds())
                notes = guard_name(instance.name, hints)
                # On its way down, to be gone or to be stopped: the next look tells which.
                if instance.status == "STOPPING":
                    return InProgress(LOOK_AGAIN_SECONDS, notes)
                operation = instances.delete_unary(
                    **where, instance=instance_id, retry=None, timeout=left.read_seconds()
                )
            except api.NotFound:
                return Gone()
            return self._look_at(operations, operation, left, notes)

    def close(self) -> None:
        with self._lock:
            clients, self._clients = self._clients or (), None
        for client in clients:
            client.transport.close()

    def _look_at(self, operations: Any, operation: Any, left: TimeLeft, notes: tuple[Note, ...]) -> Outcome:
        """Once: what was refused at once is told now, the rest shows when the instance is looked at again."""
        if operation.status != compute_v1.Operation.Status.DONE:
            where = {"project": self._settings["GCP_PROJECT_ID"], "zone": self._settings["GCP_ZONE"]}
            operation = operations.get(**where, operation=operation.name, retry=None, timeout=left.read_seconds())
        if operation.http_error_status_code:
            codes = "; ".join(f"{error.code}: {error.message}" for error in operation.error.errors)
            raise self._of_status(operation.http_error_status_code, codes or operation.http_error_message, None)
        return InProgress(LOOK_AGAIN_SECONDS, notes)

    def _connected(self) -> tuple[Any, Any]:
        with self._lock:
            if self._clients is None:
                # Only now: an identity of the machine has to be asked for.
                credentials = self._credentials or google.auth.default(scopes=SCOPES)[0]
                options = ClientOptions(api_endpoint=self._settings.get("GCP_ENDPOINT") or None)
                classes: tuple[Any, Any] = (compute_v1.InstancesClient, compute_v1.ZoneOperationsClient)
                instances, operations = (each(credentials=credentials, client_options=options) for each in classes)
                for client in (instances, operations):
                    _bound_connecting(client.transport._session)  # noqa: SLF001 - there is no other way to it
                self._clients = (instances, operations)
            return self._clients

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except auth.DefaultCredentialsError:
            raise SettingsMissing("GCP_CREDENTIALS") from None
        except auth.GoogleAuthError as error:
            is_passing = isinstance(error, auth.TransportError) or getattr(error, "retryable", False)
            raise (Transient if is_passing else AuthFailed)(self._redacted(error)) from None
        except api.GoogleAPICallError as error:
            raise self._classified(error) from None
        except (requests.RequestException, api.GoogleAPIError, ParseError) as error:
            raise Transient(self._redacted(error)) from None

    def _classified(self, error: api.GoogleAPICallError) -> ProviderError:
        headers = getattr(error.response, "headers", None) or {}
        reasons = " ".join(str(detail.get("reason", "")) for detail in error.errors or () if isinstance(detail, dict))
        text = f"{error} {reasons}".strip()
        return self._of_status(int(error.code or HTTPStatus.INTERNAL_SERVER_ERROR), text, headers.get("Retry-After"))

    def _of_status(self, status: int, text: str, retry_after: str | None) -> ProviderError:
        text = self._redacted(text)
        if status == HTTPStatus.FORBIDDEN and _RATE_LIMIT.search(text):
            return Throttled(text)
        if status == HTTPStatus.BAD_REQUEST and _NOT_READY.search(text):
            return Busy(text)
        return error_of(status, text, retry_after, self._clock.now())

    def _redacted(self, error: object) -> str:
        return redacted(str(error), self._settings, self.secret_keys)


class _BoundConnecting(HTTPAdapter):
    """The library has one time-out for connecting and for reading; connecting never takes as long."""

    def send(self, request: Any, stream: Any = False, timeout: Any = None, *rest: Any, **options: Any) -> Any:  # noqa: FBT002
        if isinstance(timeout, int | float):
            timeout = (min(CONNECT_SECONDS, timeout), timeout)
        return super().send(request, stream, timeout, *rest, **options)


def _bound_connecting(session: Any) -> None:
    for each in (session, session._auth_request_session):  # noqa: SLF001 - the one that asks for tokens repeats itself
        for scheme in ("https://", "http://"):
            each.mount(scheme, _BoundConnecting(max_retries=0))


def _service_account(settings: Mapping[str, str]) -> Any:
    try:
        info = json.loads(settings["GCP_CREDENTIALS"])
        accounts: Any = service_account.Credentials
        return accounts.from_service_account_info(info, scopes=SCOPES)
    except (ValueError, TypeError, AttributeError, KeyError, auth.GoogleAuthError):
        # What the library says of it quotes parts of it.
        raise AuthFailed("GCP_CREDENTIALS is not the JSON of a service account") from None
