"""Objects in S3, or in anything that speaks its protocol."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import botocore.session
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoAuthTokenError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)

from controllers.scriptstorage.errors import ObjectTooLarge, StorageError, StorageRefused, StorageUnavailable
from controllers.scriptstorage.objects import StoredObject
from controllers.scriptstorage.settings import StorageSettings

_SETTINGS_ERRORS = (
    CredentialRetrievalError,
    NoAuthTokenError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)
_ABSENT = frozenset({"NoSuchKey", "404", "NotFound"})
_FIRST_SERVER_ERROR, _TOO_MANY = 500, 429
_BATCH = 1000
_ATTEMPTS = 2
_DEFAULT_REGION = "us-east-1"
# Elsewhere than at AWS a bucket need not be a host name of its own.
_PATH_STYLE = {"addressing_style": "path"}
_AWS_HOSTS = (".amazonaws.com", ".amazonaws.com.cn")


class S3Objects:
    """Safe for any number of tasks."""

    def __init__(self, settings: StorageSettings) -> None:
        settings.check()
        self._settings = settings
        with _translated(settings.bucket):
            self._client = _client(settings)

    @property
    def bucket(self) -> str:
        return self._settings.bucket

    def get(self, key: str, *, bucket: str = "", most_bytes: int | None = None) -> bytes | None:
        bucket = bucket or self.bucket
        try:
            with _translated(bucket):
                answer = self._client.get_object(Bucket=bucket, Key=key)
                with answer["Body"] as body:
                    content: bytes = body.read() if most_bytes is None else body.read(most_bytes + 1)
        except _ObjectAbsent:
            return None
        if most_bytes is not None and len(content) > most_bytes:
            raise ObjectTooLarge(f"s3://{bucket}/{key} has more than {most_bytes} bytes")
        return content

    def list(self, prefix: str, *, bucket: str = "") -> Iterator[StoredObject]:
        bucket = bucket or self.bucket
        more: dict[str, Any] = {"MaxKeys": self._settings.page_keys}
        while True:
            with _translated(bucket):
                page = self._client.list_objects_v2(Bucket=bucket, Prefix=prefix, **more)
            for entry in page.get("Contents", ()):
                yield StoredObject(entry["Key"], entry["Size"])
            if not page.get("IsTruncated"):
                return
            more["ContinuationToken"] = page["NextContinuationToken"]

    def put(self, key: str, content: bytes, *, content_type: str = "application/octet-stream") -> None:
        with _translated(self.bucket):
            self._client.put_object(Bucket=self.bucket, Key=key, Body=content, ContentType=content_type)

    def delete_prefix(self, prefix: str) -> int:
        if not prefix.strip("/") or not prefix.endswith("/"):
            raise ValueError(f"{prefix!r} is not the prefix of one script: it must end with a slash")
        keys = [entry.key for entry in self.list(prefix)]
        for start in range(0, len(keys), _BATCH):
            self._delete(keys[start : start + _BATCH])
        return len(keys)

    def check(self) -> None:
        with _translated(self.bucket):
            self._client.list_objects_v2(Bucket=self.bucket, MaxKeys=1)

    def close(self) -> None:
        self._client.close()

    def _delete(self, keys: Sequence[str]) -> None:
        wanted = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
        with _translated(self.bucket):
            answer = self._client.delete_objects(Bucket=self.bucket, Delete=wanted)
        for failure in answer.get("Errors", ()):
            code = failure.get("Code", "")
            kind = StorageRefused if code == "AccessDenied" else StorageUnavailable
            raise kind(f"bucket {self.bucket}: {failure.get('Key')} was not deleted: {code}")


class _ObjectAbsent(StorageError):
    """The key has no object; never leaves this module."""


def _client(settings: StorageSettings) -> Any:
    session = botocore.session.Session()
    # `default` said aloud must mean what it means unsaid: files without such a section are no mistake.
    if session.get_config_variable("profile") == "default":
        session.set_config_variable("profile", None)
    for name, path in (("credentials_file", settings.credentials_file), ("config_file", settings.config_file)):
        if path is not None:
            session.set_config_variable(name, str(path))
    if settings.access_key_id:
        session.set_credentials(settings.access_key_id, settings.secret_access_key)
    region = settings.region or session.get_config_variable("region") or _DEFAULT_REGION
    if settings.endpoint and not _is_of_aws(settings.endpoint):
        return _connect(session, settings, region, _PATH_STYLE)
    client = _connect(session, settings, region, {})
    if _is_of_aws(client.meta.endpoint_url):
        return client
    # The files of the profile lead elsewhere.
    client.close()
    return _connect(session, settings, region, _PATH_STYLE)


def _connect(session: Any, settings: StorageSettings, region: str, style: dict[str, str]) -> Any:
    config = Config(
        connect_timeout=settings.connect_seconds,
        read_timeout=settings.read_seconds,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        s3=style or None,
        # Servers other than AWS's own often refuse checksums that they did not ask for.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return session.create_client("s3", region_name=region, endpoint_url=settings.endpoint or None, config=config)


def _is_of_aws(endpoint: str) -> bool:
    return (urlsplit(endpoint).hostname or "").endswith(_AWS_HOSTS)


@contextmanager
def _translated(bucket: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise _answer_error(bucket, error) from None
    except _SETTINGS_ERRORS as error:
        raise StorageRefused(f"bucket {bucket}: {_one_line(error)}") from None
    except (BotoCoreError, OSError, ValueError) as error:
        # ValueError: an endpoint that is not a URL.
        kind = StorageRefused if isinstance(error, ValueError) else StorageUnavailable
        raise kind(f"bucket {bucket}: {_one_line(error)}") from None


def _answer_error(bucket: str, error: ClientError) -> StorageError:
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    text = f"bucket {bucket}: {error.operation_name}: {code or status}"
    if code in _ABSENT:
        return _ObjectAbsent(text)
    if status >= _FIRST_SERVER_ERROR or status == _TOO_MANY or code in {"SlowDown", "RequestTimeout"}:
        return StorageUnavailable(text)
    return StorageRefused(text)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
