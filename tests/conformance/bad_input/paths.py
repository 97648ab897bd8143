"""Paths, methods and people that do not exist."""

from tests.conformance.bad_input.case import (
    CONFIG_MAP,
    CONFIG_MAPS,
    NAMESPACE,
    WIDGET,
    WIDGETS,
    Case,
    get,
    patch,
    post,
    put,
)
from tests.conformance.kinds import GROUP, config_map, widget

_PATHS: dict[str, str] = {
    "nothing there": "/nothing",
    "an unknown version": "/api/v2/pods",
    "an unknown group": "/apis/nothing.example.com/v1/things",
    "an unknown resource": "/api/v1/things",
    "an unknown resource in a namespace": f"/api/v1/namespaces/{NAMESPACE}/things",
    "a kind for a resource": f"/api/v1/namespaces/{NAMESPACE}/ConfigMap",
    "a singular for a resource": f"/api/v1/namespaces/{NAMESPACE}/configmap",
    "an unknown custom resource": f"/apis/{GROUP}/v1/things",
    "an unknown version of a custom resource": f"/apis/{GROUP}/v2/widgets",
    "an unknown subresource": f"{CONFIG_MAP}/status",
    "an unknown subresource of a widget": f"{WIDGET}/nothing",
    "beyond a subresource": f"{WIDGET}/status/more",
    "a cluster's resource in a namespace": f"/api/v1/namespaces/{NAMESPACE}/nodes",
    "a namespace's resource without one": "/api/v1/configmaps/there",
    "a missing namespace": "/api/v1/namespaces/missing/configmaps/there",
    "a list in a missing namespace": "/api/v1/namespaces/missing/configmaps?limit=1",
    "a slash at the end": f"{CONFIG_MAPS}/",
    "a slash behind a name": f"{CONFIG_MAP}/",
    "two slashes": f"//api/v1/namespaces/{NAMESPACE}/configmaps/there",
    "two slashes inside": f"/api/v1/namespaces/{NAMESPACE}//configmaps/there",
    "no namespace": "/api/v1/namespaces//configmaps",
    "no namespace for an object": "/api/v1/namespaces//configmaps/there",
    "two dots": f"/api/v1/namespaces/{NAMESPACE}/configmaps/../configmaps/there",
    "two dots at the end": f"{CONFIG_MAPS}/..",
    "dots beyond the root": "/../../etc/passwd",
    "one dot": f"/api/v1/./namespaces/{NAMESPACE}/configmaps/there",
    "dots as escapes": f"{CONFIG_MAPS}/%2e%2e/configmaps/there",
    "dots as a name": f"{CONFIG_MAPS}/%2e%2e",
    "a slash as an escape": f"{CONFIG_MAPS}/a%2fb",
    "a slash as an escape in the prefix": f"/api%2fv1/namespaces/{NAMESPACE}/configmaps/there",
    "a zero byte": f"{CONFIG_MAPS}/a%00b",
    "a line break": f"{CONFIG_MAPS}/a%0ab",
    "a name with letters of others": f"{CONFIG_MAPS}/%C3%A4",
    "a name that is no UTF-8": f"{CONFIG_MAPS}/%ff",
    "a name in capitals": f"{CONFIG_MAPS}/THERE",
    "a long name": f"{CONFIG_MAPS}/{'a' * 3000}",
    "a long namespace": f"/api/v1/namespaces/{'a' * 3000}/configmaps/a",
    "an escape for a letter": f"/api/v1/namespaces/{NAMESPACE}/configmaps/%74here",
    "a broken escape": f"{CONFIG_MAPS}/%zz",
    "a lonely percent sign": f"{CONFIG_MAPS}/%",
    "a percent sign as an escape": f"{CONFIG_MAPS}/%25",
    "the root": "/",
    "a prefix": "/api/v1/namespaces",
    "a question mark at the end": f"{CONFIG_MAP}?",
    "two question marks": f"{CONFIG_MAP}??a=b",
    "semicolons": f"{CONFIG_MAP};a=b",
    "the old path of a watch": f"/api/v1/watch/namespaces/{NAMESPACE}/nothing",
}


def paths() -> dict[str, Case]:
    own = {"a name that is no UTF-8"}
    cases = {f"GET {label}": get(target, has_own_words=label in own) for label, target in _PATHS.items()}
    for label in (
        "an unknown resource",
        "no namespace",
        "dots as a name",
        "a zero byte",
        "two slashes",
        "a slash at the end",
    ):
        cases[f"POST {label}"] = post(_PATHS[label], config_map("x"))
        cases[f"DELETE {label}"] = Case("DELETE", f"{_PATHS[label]}?dryRun=All")
    for method in ("HEAD", "OPTIONS", "TRACE", "PROPFIND", "LOCK", "QUERY"):
        cases[f"{method} of a collection"] = Case(method, CONFIG_MAPS)
        cases[f"{method} of an object"] = Case(method, CONFIG_MAP)
        cases[f"{method} of a widget"] = Case(method, WIDGET)
        cases[f"{method} of nothing"] = Case(method, "/nothing")
    cases["PUT of a collection"] = put(CONFIG_MAPS, config_map("x"))
    cases["PUT of a collection of widgets"] = put(WIDGETS, widget("x"))
    cases["PATCH of a collection"] = patch(CONFIG_MAPS, {})
    cases["POST to an object"] = post(f"{CONFIG_MAP}?dryRun=All", config_map("x"))
    cases["POST to a widget"] = post(f"{WIDGET}?dryRun=All", widget("x"))
    cases["POST to a status"] = post(f"{WIDGET}/status?dryRun=All", widget("x"))
    cases["DELETE of a status"] = Case("DELETE", f"{WIDGET}/status")
    cases["DELETE of all namespaces"] = Case("DELETE", "/api/v1/namespaces")
    cases["GET with a body"] = get(CONFIG_MAP, body=b'{"a":1}')
    cases["list with a body that is nonsense"] = get(CONFIG_MAPS, body=b"nonsense")
    cases["POST to a missing namespace"] = post("/api/v1/namespaces/missing/configmaps", config_map("x"))
    cases["POST of a widget to a missing namespace"] = post(WIDGETS.replace(NAMESPACE, "missing"), widget("x"))
    cases["PUT under another name"] = put(CONFIG_MAP, config_map("other"))
    cases["PUT under no name"] = put(CONFIG_MAP, config_map(""))
    cases["PUT of a widget under another name"] = put(WIDGET, widget("other"))
    cases["PUT of what is missing"] = put(f"{WIDGETS}/missing", widget("missing"))
    return cases


_IMPERSONATIONS: dict[str, dict[str, str]] = {
    "a group without a user": {"Impersonate-Group": "system:masters"},
    "an extra without a user": {"Impersonate-Extra-A": "b"},
    "a uid without a user": {"Impersonate-Uid": "b"},
    "an empty user": {"Impersonate-User": ""},
    "somebody": {"Impersonate-User": "somebody"},
    "somebody in a group": {"Impersonate-User": "somebody", "Impersonate-Group": "system:masters"},
    "a service account": {"Impersonate-User": "system:serviceaccount:a:b"},
    "half a service account": {"Impersonate-User": "system:serviceaccount:a"},
    "the anonymous user": {"Impersonate-User": "system:anonymous"},
    "an extra with an escape": {"Impersonate-User": "somebody", "Impersonate-Extra-a%2fb": "c"},
    "an extra with a bad escape": {"Impersonate-User": "somebody", "Impersonate-Extra-a%zz": "c"},
}


def people() -> dict[str, Case]:
    return {f"impersonation of {label}": get(CONFIG_MAP, headers=headers) for label, headers in _IMPERSONATIONS.items()}
