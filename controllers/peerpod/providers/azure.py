"""Virtual machines of Azure; interfaces, disks and addresses go with them, as their deleteOption says."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, ClassVar

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ResourceNotFoundError,
)
from azure.core.pipeline import PipelineResponse
from azure.identity import ClientSecretCredential, WorkloadIdentityCredential
from azure.mgmt.compute import ComputeManagementClient

from controllers.peerpod.provider import (
    AuthFailed,
    Gone,
    Hints,
    InProgress,
    InvalidInstanceID,
    Note,
    Outcome,
    Permanent,
    ProviderError,
    SettingsMissing,
    Transient,
    guard_name,
)
from controllers.peerpod.providers.http_answers import LOOK_AGAIN_SECONDS, error_of
from controllers.peerpod.providers.time_left import CONNECT_SECONDS, READ_SECONDS, TimeLeft
from controllers.peerpod.redaction import redacted
from framework.clock import Clock, SystemClock
from framework.runtime import ThreadRuntime

DEFAULT_ARM_ENDPOINT = "https://management.azure.com"

_INSTANCE_ID = re.compile(
    r"/subscriptions/(?P<subscription>[0-9a-z-]{1,64})"
    r"/resourceGroups/(?P<group>[\w().-]{1,90})"
    r"/providers/Microsoft\.Compute/virtualMachines/(?P<name>[\w.-]{1,64})",
    re.IGNORECASE | re.ASCII,
)
_NO_RETRIES: dict[str, Any] = {"retry_total": 0, "retry_connect": 0, "retry_read": 0, "retry_status": 0}


class AzureProvider:
    name: ClassVar[str] = "azure"
    extra: ClassVar[str] = "azure"
    settings_keys: ClassVar[tuple[str, ...]] = (
        "AZURE_CLIENT_ID",
        "AZURE_CLIENT_SECRET",
        "AZURE_TENANT_ID",
        "AZURE_SUBSCRIPTION_ID",
        "AZURE_RESOURCE_GROUP",
        "AZURE_ARM_ENDPOINT",
        "AZURE_AUTHORITY_HOST",
    )
    secret_keys: ClassVar[tuple[str, ...]] = ("AZURE_CLIENT_SECRET",)
    # Not the authority: the secret goes there, and must go nowhere else than the settings of the day say.
    location_keys: ClassVar[tuple[str, ...]] = ("AZURE_SUBSCRIPTION_ID", "AZURE_RESOURCE_GROUP", "AZURE_ARM_ENDPOINT")

    def __init__(self, settings: Mapping[str, str], *, clock: Clock | None = None) -> None:
        self._settings = dict(settings)
        self._clock = clock or SystemClock()
        self._endpoint = (settings.get("AZURE_ARM_ENDPOINT") or DEFAULT_ARM_ENDPOINT).rstrip("/")
        self._credential = _credential(settings)
        # One for each subscription: the id of a VM says in which one it is, whatever the settings say.
        self._clients: dict[str, ComputeManagementClient] = {}
        self._lock = ThreadRuntime().lock()

    def validate_instance_id(self, instance_id: str) -> None:
        _parsed(instance_id)

    def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:
        where = _parsed(instance_id)
        machines = self._client(where["subscription"].lower()).virtual_machines
        left = TimeLeft(self._clock, timeout_seconds)
        with self._errors():
            try:
                machine = machines.get(where["group"], where["name"], **_limits(left))
                notes = guard_name(machine.name or "", hints)
                if (machine.provisioning_state or "").lower() == "deleting":
                    return InProgress(LOOK_AGAIN_SECONDS, notes)
                return self._begin_delete(machines, where, left, notes)
            except ResourceNotFoundError as error:
                if _code(error) == "SubscriptionNotFound":
                    raise AuthFailed(self._text(error)) from None
                return Gone()

    def close(self) -> None:
        with self._lock:
            clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            client.close()
        self._credential.close()

    def _client(self, subscription: str) -> ComputeManagementClient:
        with self._lock:
            if subscription not in self._clients:
                self._clients[subscription] = ComputeManagementClient(
                    self._credential,
                    subscription,
                    self._endpoint,
                    credential_scopes=[f"{self._endpoint}/.default"],
                    connection_timeout=CONNECT_SECONDS,
                    read_timeout=READ_SECONDS,
                    **_NO_RETRIES,
                )
            return self._clients[subscription]

    def _begin_delete(
        self, machines: Any, where: Mapping[str, str], left: TimeLeft, notes: tuple[Note, ...]
    ) -> Outcome:
        statuses: list[int] = []
        machines.begin_delete(
            where["group"],
            where["name"],
            polling=False,
            raw_response_hook=lambda answer: statuses.append(answer.http_response.status_code),
            **_limits(left),
        )
        return Gone(notes) if statuses[-1] == HTTPStatus.NO_CONTENT else InProgress(LOOK_AGAIN_SECONDS, notes)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except AzureError as error:
            raise self._classified(error) from None

    def _classified(self, error: AzureError) -> ProviderError:
        # The library for tokens calls whatever keeps it from getting one a failure to authenticate.
        if isinstance(error.__cause__, AzureError):
            return self._classified(error.__cause__)
        text = self._text(error)
        if isinstance(error, ClientAuthenticationError):
            return AuthFailed(text)
        if not isinstance(error, HttpResponseError) or error.status_code is None:
            return Transient(text)
        if _code(error) == "ScopeLocked":
            return Permanent("DeletionRefused", text)
        retry_after = getattr(error.response, "headers", {}).get("Retry-After")
        return error_of(error.status_code, text, retry_after, self._clock.now())

    def _text(self, error: AzureError) -> str:
        return redacted(" ".join(str(error.message or error).split()), self._settings, self.secret_keys)


def _parsed(instance_id: str) -> Mapping[str, str]:
    found = _INSTANCE_ID.fullmatch(instance_id)
    if found is None:
        shape = "/subscriptions/…/resourceGroups/…/providers/Microsoft.Compute/virtualMachines/…"
        raise InvalidInstanceID(f"{instance_id!r} is not of the form {shape}")
    return found.groupdict()


def _credential(settings: Mapping[str, str]) -> Any:
    options: dict[str, Any] = {
        "connection_timeout": CONNECT_SECONDS,
        "read_timeout": READ_SECONDS,
        "raw_response_hook": _raise_if_overloaded,
        **_NO_RETRIES,
    }
    if authority := settings.get("AZURE_AUTHORITY_HOST"):
        # A host of one's own is unknown to the public list of authorities, so that is not asked.
        options |= {"authority": authority, "disable_instance_discovery": True}
    tenant, client = settings.get("AZURE_TENANT_ID"), settings.get("AZURE_CLIENT_ID")
    try:
        if not (secret := settings.get("AZURE_CLIENT_SECRET")):
            return WorkloadIdentityCredential(tenant_id=tenant, client_id=client, **options)
        if missing := [key for key in ("AZURE_CLIENT_ID", "AZURE_TENANT_ID") if not settings.get(key)]:
            raise SettingsMissing(*missing)
        return ClientSecretCredential(str(tenant), str(client), secret, **options)
    except ValueError as error:
        if settings.get("AZURE_CLIENT_SECRET"):
            raise AuthFailed(redacted(str(error), settings, AzureProvider.secret_keys)) from None
        # Nor does the environment tell of an identity of the pod.
        raise SettingsMissing("AZURE_CLIENT_SECRET") from None


def _raise_if_overloaded(answer: PipelineResponse[Any, Any]) -> None:
    """Else the status is lost, and a server of tokens that has too much to do looks as if the secret were wrong."""
    status = answer.http_response.status_code
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise HttpResponseError(response=answer.http_response)


def _limits(left: TimeLeft) -> dict[str, Any]:
    return {"connection_timeout": left.connect_seconds(), "read_timeout": left.read_seconds()}


def _code(error: HttpResponseError) -> str:
    return (error.error.code or "") if error.error else ""
