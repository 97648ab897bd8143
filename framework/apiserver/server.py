"""The API server as an object: one `handle` for every request, whoever brings it."""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

import msgspec

from framework.apiserver.access import Access
from framework.apiserver.admission import Caller, LazyCaller, ResolveService
from framework.apiserver.admission_chain import AdmissionControl
from framework.apiserver.auth import SigningKey, UserInfo
from framework.apiserver.bootstrap import write_bootstrap_objects
from framework.apiserver.definitions.conversion_webhook import ReviewedConversion
from framework.apiserver.kinds import builtin_kinds
from framework.apiserver.registry import DEFINITIONS, Registry
from framework.apiserver.rest.answers import warning_headers
from framework.apiserver.rest.context import Context, Services, uid_from
from framework.apiserver.rest.places import NoSuchPath, check_place
from framework.apiserver.rest.request_info import MalformedPath, RequestInfo, request_info, split_target
from framework.apiserver.rest.routing import route
from framework.apiserver.status import internal_error, not_implemented, path_unknown, status_document
from framework.apiserver.storage import Journal, Storage, StorageOptions
from framework.bugs import report_bug
from framework.clock import Clock, SystemClock
from framework.errors import ApiError
from framework.http.exchange import Answer, PeerCertificate, ServerRequest
from framework.loading import LOADING
from framework.randomness import Random, system_random
from framework.runtime import Runtime, ThreadRuntime

ADMIN = PeerCertificate("kubernetes-admin", ("system:masters",))
_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


def _no_service(_namespace: str, _name: str, _port: int) -> None:
    return None


class ServerOptions(msgspec.Struct, frozen=True):
    """How a server differs from the ordinary."""

    # Off: everybody may do everything, as in a test that is not about rights.
    has_authorization: bool = True
    allows_anonymous: bool = True
    # Bearer tokens, and whom they stand for.
    tokens: Mapping[str, UserInfo] = {}
    # Where the services of webhooks are reached: there is no cluster network.
    resolve_service: ResolveService = _no_service
    # How webhooks are called, if not over the network.
    webhook_caller: Caller | None = None
    history: StorageOptions = StorageOptions()
    bookmark_seconds: float = 60.0
    watch_seconds: float = 1800.0


class ApiServer:
    """Answers requests by the rules of Kubernetes; has neither threads nor sockets of its own."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        runtime: Runtime | None = None,
        random: Random | None = None,
        journal: Journal | None = None,
        options: ServerOptions | None = None,
        signing_key: SigningKey | None = None,
    ) -> None:
        self.options = options = options or ServerOptions()
        self.clock = clock = clock or SystemClock()
        self.runtime = runtime = runtime or ThreadRuntime()
        self.random = random = random or system_random()
        self.storage = Storage(clock=clock, runtime=runtime, journal=journal, options=options.history)
        self._is_durable = journal is not None
        new_uid = partial(uid_from, random)
        self._access = Access(
            self.storage,
            clock=clock,
            new_uid=new_uid,
            signing_key=signing_key or SigningKey.generate(),
            tokens=options.tokens,
            has_authorization=options.has_authorization,
            allows_anonymous=options.allows_anonymous,
        )
        self._webhooks = options.webhook_caller or LazyCaller(
            clock=clock, runtime=runtime, resolve_service=options.resolve_service
        )
        self.registry = Registry(
            self.storage,
            builtin_kinds(self.storage, clock),
            webhook=ReviewedConversion(self._webhooks, new_uid),
            clock=clock,
            runtime=runtime,
        )
        self._admission = AdmissionControl(
            self.storage,
            self._access.authorizer,
            runtime=runtime,
            new_uid=new_uid,
            caller=self._webhooks,
            served=self.registry.all,
        )
        self._services = Services(
            self.storage,
            clock,
            random,
            self._admission,
            self._access.authorizer,
            options.bookmark_seconds,
            options.watch_seconds,
            self.registry.is_served,
        )
        write_bootstrap_objects(self._services)
        self.registry.refresh()

    def handle(self, request: ServerRequest) -> Answer:
        try:
            return self._answer(request)
        except ApiError as error:
            return error_answer(error)
        except NoSuchPath:
            return self._not_there(request)
        except MalformedPath:
            return Answer(400, {"Content-Type": "text/plain; charset=utf-8"}, b"400 Bad Request")
        except Exception as error:  # noqa: BLE001 - see below
            # A bug of ours must not end the server; the client gets what the real one says after a panic.
            report_bug("request_failed", error, method=request.method, path=request.target.partition("?")[0])
            return error_answer(internal_error("the embedded API server failed; its log says how"))

    def may_block(self, request: ServerRequest) -> bool:
        if request.method in _WRITES:
            return self._is_durable or self._admission.has_webhooks()
        return "resourceVersion=" in request.target and "watch=" not in request.target

    def close(self) -> None:
        self._webhooks.close()
        self.storage.close()

    def _answer(self, request: ServerRequest) -> Answer:
        path, query = split_target(request.target)
        selector = query.get("fieldSelector")
        info = request_info(request.method, path, is_watch=query.flag("watch"), field_selector=selector)
        user = self._access.gate.enter(request, info)
        if not info.is_resource:
            return self._about_the_server(request)
        resource = self.registry.find(info.group, info.version, info.resource)
        if resource is None:
            raise self._unknown(info)
        context = Context(self._services, resource, info, query, request=request, user=user)
        try:
            answer = self._about_objects(context)
        except ApiError as error:
            # What was odd about the request may be why it failed.
            return error_answer(error, warning_headers(context.warnings))
        if resource.storage == DEFINITIONS and request.method in _WRITES:
            self.registry.refresh()
        return answer

    def _not_there(self, request: ServerRequest) -> Answer:
        if self.registry.is_builtin_path(request.target):
            return error_answer(path_unknown())
        headers = {
            "Cache-Control": "no-cache, private",
            "Content-Type": "text/plain; charset=utf-8",
            "X-Content-Type-Options": "nosniff",
        }
        return Answer(404, headers, b"404 page not found\n")

    def _unknown(self, info: RequestInfo) -> Exception:
        if info.resource == "watch":
            watched = request_info("GET", info.path.replace("/watch/", "/", 1), is_watch=True)
            if self.registry.find(watched.group, watched.version, watched.resource) is not None:
                return not_implemented("the deprecated watch paths: ask for the collection with watch=true")
        return NoSuchPath(info.path)

    def _about_objects(self, context: Context) -> Answer:
        check_place(context)
        if context.resource.verbs == ("create",) or context.info.subresource == "token":
            return self._about_rights(context)
        return route(context)

    def _about_rights(self, context: Context) -> Answer:
        # Loaded by the first question, as writes are by the first write.
        with LOADING:
            from framework.apiserver.rest.questions import answer_review, answer_token_request

        if context.info.subresource == "token":
            return answer_token_request(context, self._access.token_requests)
        return answer_review(context, self._access.reviews)

    @cached_property
    def _description(self) -> Any:
        # Not every server is asked about itself, and the documents take longer to load than the rest.
        with LOADING:
            from framework.apiserver.self_description import SelfDescription

        return SelfDescription(self.registry)

    def _about_the_server(self, request: ServerRequest) -> Answer:
        answer: Answer | None = self._description.answer(request)
        if answer is None:
            raise NoSuchPath(request.target)
        return answer


def error_answer(error: ApiError, warnings: tuple[str, ...] = ()) -> Answer:
    headers = {"Cache-Control": "no-cache, private", "Content-Type": "application/json"}
    if error.retry_after_seconds is not None:
        headers["Retry-After"] = f"{error.retry_after_seconds:g}"
    return Answer(error.code, headers, msgspec.json.encode(status_document(error)), warnings=warnings)
