"""Instances of EC2, and the addresses that belong to them."""

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import botocore.session
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoAuthTokenError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)
from botocore.utils import InstanceMetadataRegionFetcher

from controllers.peerpod.provider import (
    Accepted,
    AuthFailed,
    Busy,
    Gone,
    Hints,
    InvalidInstanceID,
    Note,
    Outcome,
    Permanent,
    ProviderError,
    SettingsMissing,
    Throttled,
    Transient,
    guard_name,
)

_KEY_ID, _KEY, _TOKEN, _REGION = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
)
_ENDPOINT_EC2, _ENDPOINT = "AWS_ENDPOINT_URL_EC2", "AWS_ENDPOINT_URL"
_INSTANCE_ID = re.compile(r"i-([0-9a-f]{8}|[0-9a-f]{17})")
_CONNECT_SECONDS, _READ_SECONDS = 5, 20
# A new instance is not known everywhere at once.
_SETTLED_SECONDS = 30.0
_NOT_FOUND = "InvalidInstanceID.NotFound"
_ADDRESS_GONE = frozenset({"InvalidAllocationID.NotFound", "InvalidAssociationID.NotFound", "InvalidAddress.NotFound"})
_AUTH = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "RequestExpired",
        "InvalidClientTokenId",
        "SignatureDoesNotMatch",
        "OptInRequired",
        "Blocked",
    }
)
_THROTTLED = frozenset({"RequestLimitExceeded", "RequestThrottled", "TooManyRequestsException", "SlowDown"})
_THROTTLED_STATUS = frozenset({429, 503})
_NO_IDENTITY = (
    NoCredentialsError,
    PartialCredentialsError,
    CredentialRetrievalError,
    TokenRetrievalError,
    NoAuthTokenError,
    ProfileNotFound,
)
# With static credentials nothing of the machine counts: neither its profiles nor its files.
_OF_NOBODY = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}


class AwsProvider:
    name: ClassVar[str] = "aws"
    extra: ClassVar[str] = "aws"
    settings_keys: ClassVar[tuple[str, ...]] = (_KEY_ID, _KEY, _TOKEN, _REGION, _ENDPOINT_EC2, _ENDPOINT)
    secret_keys: ClassVar[tuple[str, ...]] = (_KEY_ID, _KEY, _TOKEN)
    location_keys: ClassVar[tuple[str, ...]] = (_REGION, _ENDPOINT_EC2, _ENDPOINT)

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = {key: settings[key] for key in self.settings_keys if settings.get(key)}
        self._client: Any = self._connected(self._settings[_REGION]) if _REGION in self._settings else None

    def validate_instance_id(self, instance_id: str) -> None:
        if not _INSTANCE_ID.fullmatch(instance_id):
            raise InvalidInstanceID(f"{instance_id!r} is no id of an instance; one looks like i-0123456789abcdef0")

    def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:
        deadline = _now() + timeout_seconds
        with _translated():
            if self._client is None:
                self._client = self._connected(_region_of_this_machine())
            return _Deletion(self._client, instance_id, hints, deadline).run()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _connected(self, region: str) -> Any:
        settings = self._settings
        # Without both the SDK looks for an identity of the machine.
        has_keys = _KEY_ID in settings and _KEY in settings
        session = botocore.session.Session(session_vars=_OF_NOBODY if has_keys else None)
        return session.create_client(
            "ec2",
            region_name=region,
            endpoint_url=settings.get(_ENDPOINT_EC2) or settings.get(_ENDPOINT),
            config=Config(
                connect_timeout=_CONNECT_SECONDS,
                read_timeout=_READ_SECONDS,
                # Who calls retries.
                retries={"total_max_attempts": 1, "mode": "standard"},
                ignore_configured_endpoint_urls=True,
            ),
            aws_access_key_id=settings[_KEY_ID] if has_keys else None,
            aws_secret_access_key=settings[_KEY] if has_keys else None,
            aws_session_token=settings.get(_TOKEN) if has_keys else None,
        )


class _Deletion:
    """Of one instance."""

    def __init__(self, client: Any, instance_id: str, hints: Hints, deadline: float) -> None:
        self._client = client
        self._id = instance_id
        self._hints = hints
        self._deadline = deadline

    def run(self) -> Outcome:
        instance = self._instance()
        if instance is None and self._hints.peer_pod_age_seconds < _SETTLED_SECONDS:
            raise Transient(f"{self._id} is not known yet, perhaps: its PeerPod is new")
        state = instance["State"]["Name"] if instance else "terminated"
        notes = () if instance is None or state == "terminated" else guard_name(_name(instance), self._hints)
        # Before the instance goes: afterwards nothing but its tag tells whose an address was.
        failure, address_notes = self._try_addresses()
        is_gone = state == "terminated" or (state != "shutting-down" and not self._terminate())
        if failure is not None:
            raise failure
        notes = (*notes, *address_notes)
        return Gone(notes) if is_gone else Accepted(notes)

    def _instance(self) -> Any:
        try:
            found = self._call("describe_instances", InstanceIds=[self._id])
        except ClientError as error:
            if _code(error) == _NOT_FOUND:
                return None
            raise
        instances = [each for group in found["Reservations"] for each in group["Instances"]]
        return instances[0] if instances else None

    def _terminate(self) -> bool:
        """Whether there was one to terminate."""
        try:
            self._call("terminate_instances", InstanceIds=[self._id])
        except ClientError as error:
            if _code(error) == _NOT_FOUND:
                return False
            raise
        return True

    def _try_addresses(self) -> tuple[ProviderError | None, tuple[Note, ...]]:
        """A failure must not keep the instance running; who may not see addresses has given it none."""
        try:
            with _translated():
                self._release_addresses()
        except AuthFailed as error:
            if not isinstance(error, _Unauthorized):
                raise
            note = f"addresses of {self._id} cannot be looked after: {error}"
            return None, (Note("AddressesNotReleased", note),)
        except ProviderError as error:
            return error, ()
        return None, ()

    def _release_addresses(self) -> None:
        for address in self._addresses():
            if association := address.get("AssociationId"):
                self._unless_gone("disassociate_address", AssociationId=association)
            if allocation := address.get("AllocationId"):
                self._unless_gone("release_address", AllocationId=allocation)

    def _addresses(self) -> list[Any]:
        filters = ({"Name": "instance-id", "Values": [self._id]}, {"Name": "tag:Name", "Values": [f"eip-{self._id}"]})
        found = [each for one in filters for each in self._call("describe_addresses", Filters=[one])["Addresses"]]
        # An address that another instance has by now is that one's, whatever its tag says.
        ours = [each for each in found if each.get("InstanceId") in (None, "", self._id)]
        return list({each.get("AllocationId"): each for each in ours}.values())

    def _unless_gone(self, operation: str, **arguments: str) -> None:
        try:
            self._call(operation, **arguments)
        except ClientError as error:
            if _code(error) not in _ADDRESS_GONE:
                raise

    def _call(self, operation: str, **arguments: Any) -> Any:
        if _now() >= self._deadline:
            raise Transient("the time for one attempt is over")
        return getattr(self._client, operation)(**arguments)


class _Unauthorized(AuthFailed):
    """It is known who asks, and he may not."""


def _region_of_this_machine() -> str:
    region = InstanceMetadataRegionFetcher(timeout=1, num_attempts=1).retrieve_region()
    if not region:
        raise SettingsMissing(_REGION)
    return str(region)


def _now() -> float:
    return time.monotonic()  # noqa: TID251 - only a bound on calls that block in an SDK, whose time is the machine's


def _name(instance: Any) -> str:
    return next((tag["Value"] for tag in instance.get("Tags", ()) if tag["Key"] == "Name"), "")


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def _translated() -> Iterator[None]:
    """Exceptions of the SDK in the words of a provider."""
    try:
        yield
    except ClientError as error:
        raise _of_client_error(error) from None
    except _NO_IDENTITY as error:
        raise AuthFailed(str(error)) from None
    except BotoCoreError as error:
        raise Transient(f"{type(error).__name__}: {error}") from None


def _of_client_error(error: ClientError) -> ProviderError:
    code, message = _code(error), f"{_code(error)}: {error.response.get('Error', {}).get('Message', '')}"
    answer = error.response.get("ResponseMetadata", {})
    status = int(answer.get("HTTPStatusCode", 0))
    if code in _THROTTLED or code.startswith("Throttling") or status in _THROTTLED_STATUS:
        return Throttled(message, _retry_after(answer.get("HTTPHeaders", {})))
    match code:
        case "UnauthorizedOperation":
            told: ProviderError = _Unauthorized(message)
        case "OperationNotPermitted":
            told = Permanent("DeletionRefused", message)
        case "InvalidInstanceID.Malformed":
            told = InvalidInstanceID(message)
        case "IncorrectInstanceState":
            told = Busy(message)
        case _:
            told = AuthFailed(message) if code in _AUTH else Transient(message)
    return told


def _retry_after(headers: Mapping[str, str]) -> float:
    text = headers.get("retry-after", "")
    return float(text) if text.isdigit() else 0.0
