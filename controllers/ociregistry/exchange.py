"""One repository's requests, with the login or the token that it wants."""

from collections.abc import Mapping
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

import msgspec
import requests
from requests.auth import AuthBase

from controllers.ociregistry.challenge import Challenge, parse_challenge
from controllers.ociregistry.credentials import Login
from controllers.ociregistry.errors import RegistryRefused, RegistryUnavailable
from controllers.ociregistry.options import RegistryOptions
from controllers.ociregistry.reading import read_all
from controllers.ociregistry.reference import Repository

_UNAUTHORIZED, _TOO_MANY, _FIRST_SERVER_ERROR = 401, 429, 500
_MOST_TOKEN_BYTES = 256 * 1024
_AGENT = "windlass"

Body = bytes | IO[bytes] | None


class _Authorization(AuthBase):
    """Always given, so that no `.netrc` is asked in its place. Not carried over to another host."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._value:
            request.headers["Authorization"] = self._value
        return request


class _Token(msgspec.Struct, frozen=True):
    token: str = ""
    access_token: str = ""


class RegistryExchange:
    """Not safe for several tasks at once."""

    def __init__(self, repository: Repository, login: Login | None, options: RegistryOptions) -> None:
        self.repository = repository
        self._login = login
        self._options = options
        self._session = requests.Session()
        self._session.headers["User-Agent"] = _AGENT
        self._base = options.base_url(repository)
        self._authorization = ""
        # Everything that was asked for so far: a token for more is good for less, too.
        self._scopes: dict[str, None] = {}

    def close(self) -> None:
        self._session.close()

    def also_needs(self, other: Repository) -> None:
        """What mounts a blob of *other* must be allowed to read there."""
        self._scopes.setdefault(f"repository:{other.path}:pull")

    def send(
        self,
        method: str,
        target: str,
        *,
        headers: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
        body: Body = None,
        is_streamed: bool = False,
    ) -> requests.Response:
        """The answer, whatever its status but 401, 429 and 5xx. *target* is below the repository, or a whole URL."""
        url = urljoin(self._base, target)
        self._check_scheme(url)

        def once() -> requests.Response:
            if body is not None and not isinstance(body, bytes):
                body.seek(0)
            return self._send(method, url, headers, parameters, body, is_streamed=is_streamed)

        answer = once()
        if answer.status_code == _UNAUTHORIZED and self._answer_challenge(answer):
            answer = once()
        self._check(answer)
        return answer

    def refused(self, answer: requests.Response) -> RegistryRefused:
        """For a status that the caller did not expect."""
        method = answer.request.method
        return RegistryRefused(f"{self.repository}: {method} was answered with {answer.status_code}{_code_in(answer)}")

    def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        parameters: Mapping[str, str] | None,
        body: Body,
        *,
        is_streamed: bool,
    ) -> requests.Response:
        # Where an upload goes on may be another host, to which our login is none of its business.
        is_ours = urlsplit(url).netloc == urlsplit(self._base).netloc
        try:
            return self._session.request(
                method,
                url,
                headers=headers,
                params=parameters,
                data=body,
                auth=_Authorization(self._authorization if is_ours else ""),
                stream=is_streamed,
                timeout=(self._options.connect_seconds, self._options.read_seconds),
                allow_redirects=method in {"GET", "HEAD"},
            )
        except requests.RequestException as error:
            raise RegistryUnavailable(f"{self.repository}: {method}: {_reason(error)}") from None

    def _check_scheme(self, url: str) -> None:
        if urlsplit(url).scheme != "https" and not self._options.is_plain(self.repository):
            raise RegistryRefused(f"{self.repository}: the registry leads to plain HTTP; see -insecure-registry")

    def _check(self, answer: requests.Response) -> None:
        status = answer.status_code
        if status == _UNAUTHORIZED:
            known = "the login was refused" if self._login else "there is no login for this registry"
            raise RegistryRefused(f"{self.repository}: {known}")
        if status >= _FIRST_SERVER_ERROR or status == _TOO_MANY:
            raise RegistryUnavailable(f"{self.repository}: {answer.request.method} was answered with {status}")

    def _answer_challenge(self, answer: requests.Response) -> bool:
        """Whether there is something new to try."""
        challenge = parse_challenge(answer.headers.get("WWW-Authenticate", ""))
        answer.close()
        if challenge is None:
            return False
        before = self._authorization
        if challenge.scheme == "basic":
            self._authorization = self._login.basic if self._login else ""
        else:
            self._authorization = f"Bearer {self._fetch_token(challenge)}"
        return self._authorization != before

    def _fetch_token(self, challenge: Challenge) -> str:
        self._scopes.update(dict.fromkeys(challenge.scopes))
        self._check_scheme(challenge.realm)
        try:
            with self._session.get(
                challenge.realm,
                params=[("service", challenge.service), *(("scope", scope) for scope in self._scopes)],
                auth=_Authorization(self._login.basic if self._login else ""),
                timeout=(self._options.connect_seconds, self._options.read_seconds),
                stream=True,
            ) as answer:
                self._check(answer)
                text = read_all(answer, _MOST_TOKEN_BYTES, f"{self.repository}: its tokens")
        except requests.RequestException as error:
            raise RegistryUnavailable(f"{self.repository}: its tokens: {_reason(error)}") from None
        try:
            token = msgspec.json.decode(text, type=_Token)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            token = _Token()
        if not (token.token or token.access_token):
            raise RegistryRefused(f"{self.repository}: the registry's tokens: {answer.status_code}, and none in it")
        return token.token or token.access_token


def _reason(error: requests.RequestException) -> str:
    """Without the URL, whose query may hold what is nobody else's."""
    if isinstance(error, requests.Timeout):
        return "took too long"
    if isinstance(error, requests.exceptions.SSLError):
        return "the certificates do not fit"
    if isinstance(error, requests.ConnectionError):
        return "no connection, or it ended"
    return type(error).__name__


def _code_in(answer: requests.Response) -> str:
    """The first error code of the answer, such as DENIED."""
    try:
        document: Any = msgspec.json.decode(answer.content[:_MOST_TOKEN_BYTES])
        code = str(document["errors"][0]["code"])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, IndexError, TypeError):
        return ""
    return f" {code}" if code.isidentifier() else ""
