"""Virtual server instances of IBM Cloud VPC."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, ClassVar

import requests
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import ContainerAuthenticator, IAMAuthenticator
from ibm_vpc import VpcV1

from controllers.peerpod.provider import (
    AuthFailed,
    Gone,
    Hints,
    InProgress,
    InvalidInstanceID,
    Outcome,
    Permanent,
    ProviderError,
    SettingsMissing,
    Transient,
    guard_name,
)
from controllers.peerpod.providers.http_answers import LOOK_AGAIN_SECONDS, error_of
from controllers.peerpod.providers.time_left import TimeLeft
from controllers.peerpod.redaction import redacted
from framework.clock import Clock, SystemClock
from framework.runtime import ThreadRuntime

DEFAULT_IAM_ENDPOINT = "https://iam.cloud.ibm.com/identity/token"
# Where the adaptor finds the token of its pod, too.
TOKEN_FILE = "/var/run/secrets/tokens/vault-token"  # noqa: S105 - a path

_INSTANCE_ID = re.compile(r"[0-9a-z_-]{1,64}")
_ZONE = re.compile(r"(?P<region>[a-z]+(-[a-z]+)*)-[0-9]+")


class IbmCloudProvider:
    name: ClassVar[str] = "ibmcloud"
    extra: ClassVar[str] = "ibmcloud"
    settings_keys: ClassVar[tuple[str, ...]] = (
        "IBMCLOUD_API_KEY",
        "IBMCLOUD_IAM_PROFILE_ID",
        "IBMCLOUD_IAM_ENDPOINT",
        "IBMCLOUD_VPC_ENDPOINT",
        "IBMCLOUD_ZONE",
    )
    secret_keys: ClassVar[tuple[str, ...]] = ("IBMCLOUD_API_KEY", "IBMCLOUD_IAM_PROFILE_ID")
    location_keys: ClassVar[tuple[str, ...]] = ("IBMCLOUD_VPC_ENDPOINT", "IBMCLOUD_ZONE")

    def __init__(self, settings: Mapping[str, str], *, clock: Clock | None = None) -> None:
        self._settings = dict(settings)
        self._clock = clock or SystemClock()
        endpoint = _endpoint(settings)
        authenticator = _authenticator(settings)
        self._tokens = authenticator.token_manager
        try:
            self._client = VpcV1(authenticator=authenticator)
            self._client.set_service_url(endpoint)
        except ValueError as error:
            raise AuthFailed(self._redacted(error)) from None
        # The token manager makes those who come second wait in a loop, for a minute if the first has failed.
        self._lock = ThreadRuntime().lock()

    def validate_instance_id(self, instance_id: str) -> None:
        if not _INSTANCE_ID.fullmatch(instance_id):
            raise InvalidInstanceID(f"{instance_id!r} can be no id of an instance")

    def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:
        self.validate_instance_id(instance_id)
        left = TimeLeft(self._clock, timeout_seconds)
        with self._errors():
            self._refresh_token(left)
            try:
                instance = self._client.get_instance(instance_id, **_limits(left)).get_result()
                if not isinstance(instance, dict):
                    raise Transient("the answer is no description of an instance")
                notes = guard_name(instance.get("name", ""), hints)
                if instance.get("status") != "deleting":
                    self._client.delete_instance(instance_id, **_limits(left))
            except ApiException as error:
                if error.status_code == HTTPStatus.NOT_FOUND:
                    return Gone()
                raise
        return InProgress(LOOK_AGAIN_SECONDS, notes)

    def close(self) -> None:
        self._client.get_http_client().close()

    def _refresh_token(self, left: TimeLeft) -> None:
        with self._lock:
            self._tokens.http_config = _limits(left)
            try:
                self._tokens.get_token()
            except ApiException as error:
                raise self._of_tokens(error) from None
            except requests.RequestException:
                raise
            except Exception as error:  # noqa: BLE001 - the library has no other for a file that it cannot read
                raise AuthFailed(self._redacted(error)) from None
            finally:
                self._tokens.request_time = 0

    def _of_tokens(self, error: Any) -> ProviderError:
        classified = self._classified(error)
        # IAM answers a wrong key with 400.
        return AuthFailed(str(classified)) if isinstance(classified, Permanent) else classified

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except ApiException as error:
            raise self._classified(error) from None
        except requests.RequestException as error:
            raise Transient(self._redacted(error)) from None

    def _classified(self, error: Any) -> ProviderError:
        headers = {} if error.http_response is None else error.http_response.headers
        return error_of(error.status_code, self._redacted(error), headers.get("Retry-After"), self._clock.now())

    def _redacted(self, error: object) -> str:
        return redacted(str(error), self._settings, self.secret_keys)


def _endpoint(settings: Mapping[str, str]) -> str:
    if endpoint := settings.get("IBMCLOUD_VPC_ENDPOINT"):
        return endpoint.rstrip("/")
    if not (zone := settings.get("IBMCLOUD_ZONE")):
        raise SettingsMissing("IBMCLOUD_VPC_ENDPOINT", "IBMCLOUD_ZONE")
    if (found := _ZONE.fullmatch(zone)) is None:
        raise AuthFailed(f"IBMCLOUD_ZONE is {zone!r}, which is no zone; they are called like us-south-2")
    return f"https://{found['region']}.iaas.cloud.ibm.com/v1"


def _authenticator(settings: Mapping[str, str]) -> Any:
    url = settings.get("IBMCLOUD_IAM_ENDPOINT") or DEFAULT_IAM_ENDPOINT
    api_key, profile = settings.get("IBMCLOUD_API_KEY"), settings.get("IBMCLOUD_IAM_PROFILE_ID")
    try:
        if api_key:
            return IAMAuthenticator(api_key, url=url)
        if profile:
            return ContainerAuthenticator(cr_token_filename=TOKEN_FILE, iam_profile_id=profile, url=url)
    except ValueError as error:
        raise AuthFailed(redacted(str(error), settings, IbmCloudProvider.secret_keys)) from None
    raise SettingsMissing("IBMCLOUD_API_KEY", "IBMCLOUD_IAM_PROFILE_ID")


def _limits(left: TimeLeft) -> dict[str, tuple[float, float]]:
    return {"timeout": (left.connect_seconds(), left.read_seconds())}
