"""Kinds that answer a question instead of being stored."""

from framework.apiserver.auth import Reviews, TokenRequests
from framework.apiserver.rest.answers import shown
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.decoding import decode_body, decode_object
from framework.apiserver.rest.metadata import ensure_namespace
from framework.apiserver.rest.options import write_options
from framework.apiserver.rest.representation import Shape, shape_of
from framework.apiserver.status import bad_request, method_refused
from framework.http.exchange import Answer

_CREATED = 201
_TOKEN_REQUEST = "io.k8s.api.authentication.v1.TokenRequest"  # noqa: S105 - the name of a schema


def answer_review(context: Context, reviews: Reviews) -> Answer:
    if context.info.verb != "create":
        raise method_refused()
    obj = decode_object(context, write_options(context.query, "CreateOptions"))
    if context.resource.is_namespaced:
        ensure_namespace(context.resource, context.namespace, obj["metadata"])
    answer = reviews.review(context.resource.kind, obj, context.user, context.namespace)
    return shown(context, answer, shape_of(context.headers.get("accept", "")), _CREATED)


def answer_token_request(context: Context, requests: TokenRequests) -> Answer:
    if context.info.verb != "create":
        raise method_refused()
    request = decode_body(context.headers.get("content-type", ""), context.request.body, _TOKEN_REQUEST)
    if not isinstance(request, dict):
        raise bad_request("the body is not a TokenRequest")
    answer = requests.create(context.namespace, context.info.name, request)
    return shown(context, answer, Shape(), _CREATED)
