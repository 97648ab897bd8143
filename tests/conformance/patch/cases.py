"""Patches to compare with the real server: each as name, kind of object, kind of patch, and the patch."""

from typing import Any, TypeAlias

Case: TypeAlias = tuple[str, str, str, Any]

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "it",
        "labels": {"app": "web", "tier": "front"},
        "annotations": {"note": "x"},
        "finalizers": ["example.com/a", "example.com/b"],
    },
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "web"}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {
                        "name": "web",
                        "image": "web:1",
                        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                        "ports": [{"containerPort": 80}, {"containerPort": 443}],
                        "args": ["one", "two"],
                    },
                    {"name": "side", "image": "side:1"},
                ],
                "volumes": [{"name": "tmp", "emptyDir": {}}, {"name": "conf", "configMap": {"name": "conf"}}],
                "tolerations": [{"key": "a", "operator": "Exists"}],
                "nodeSelector": {"disk": "ssd"},
            },
        },
    },
}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "it"},
    "spec": {
        "selector": {"app": "web"},
        "ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443}],
    },
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "it", "labels": {"a": "1"}},
    "spec": {
        "containers": [{"name": "main", "image": "main:1"}],
        "tolerations": [{"key": "a", "operator": "Exists"}],
    },
}
CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "it", "annotations": {"example.com/a": "1"}},
    "data": {"a": "1", "b": "2"},
}

_TEMPLATE = "/spec/template/spec"


def _in_template(**fields: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": fields}}}


def _in_web(**fields: Any) -> dict[str, Any]:
    return _in_template(containers=[{"name": "web", **fields}])


def _directive(name: str, field: str, value: Any) -> dict[str, Any]:
    return {f"${name}/{field}": value}


JSON: list[Case] = [
    ("add_a_field", "ConfigMap", "json", [{"op": "add", "path": "/data/c", "value": "4"}]),
    ("add_over_a_field", "ConfigMap", "json", [{"op": "add", "path": "/data/a", "value": "4"}]),
    ("add_without_parent", "ConfigMap", "json", [{"op": "add", "path": "/binaryData/c", "value": "4"}]),
    ("add_with_escapes", "ConfigMap", "json", [
        {"op": "add", "path": "/metadata/annotations/example.com~1a", "value": "4"},
    ]),
    ("add_null", "ConfigMap", "json", [{"op": "add", "path": "/metadata/labels", "value": None}]),
    ("add_without_value", "ConfigMap", "json", [{"op": "add", "path": "/metadata/labels"}]),
    ("add_to_the_root", "ConfigMap", "json", [{"op": "add", "path": "", "value": {}}]),
    ("path_without_slash", "ConfigMap", "json", [{"op": "add", "path": "data", "value": {}}]),
    ("path_with_odd_start", "ConfigMap", "json", [{"op": "replace", "path": "x/data", "value": {"q": "1"}}]),
    ("remove_a_field", "ConfigMap", "json", [{"op": "remove", "path": "/data/a"}]),
    ("remove_what_is_missing", "ConfigMap", "json", [{"op": "remove", "path": "/data/zz"}]),
    ("replace_a_field", "ConfigMap", "json", [{"op": "replace", "path": "/data/a", "value": "9"}]),
    ("replace_what_is_missing", "ConfigMap", "json", [{"op": "replace", "path": "/data/zz", "value": "9"}]),
    ("replace_below_what_is_missing", "ConfigMap", "json", [{"op": "replace", "path": "/q/zz", "value": "9"}]),
    ("copy_a_field", "ConfigMap", "json", [{"op": "copy", "from": "/data/a", "path": "/data/c"}]),
    ("copy_what_is_missing", "ConfigMap", "json", [{"op": "copy", "from": "/immutable", "path": "/metadata/labels"}]),
    ("copy_without_from", "ConfigMap", "json", [{"op": "copy", "path": "/data/c"}]),
    ("move_a_field", "ConfigMap", "json", [{"op": "move", "from": "/data/a", "path": "/data/c"}]),
    ("move_what_is_missing", "ConfigMap", "json", [{"op": "move", "from": "/data/zz", "path": "/data/c"}]),
    ("test_passes", "ConfigMap", "json", [{"op": "test", "path": "/data/a", "value": "1"}]),
    ("test_fails", "ConfigMap", "json", [{"op": "test", "path": "/data/a", "value": "2"}]),
    ("test_of_another_type", "ConfigMap", "json", [{"op": "test", "path": "/data/a", "value": 1}]),
    ("test_for_null_on_missing", "ConfigMap", "json", [{"op": "test", "path": "/data/zz", "value": None}]),
    ("test_of_an_object", "ConfigMap", "json", [{"op": "test", "path": "/data", "value": {"a": "1"}}]),
    ("unknown_operation", "ConfigMap", "json", [{"op": "increment", "path": "/data/a"}]),
    ("operation_of_wrong_type", "ConfigMap", "json", [{"op": 1, "path": "/data/a"}]),
    ("path_of_wrong_type", "ConfigMap", "json", [{"op": "add", "path": ["data"]}]),
    ("no_operation", "ConfigMap", "json", [{"path": "/data/a"}]),
    ("no_path", "ConfigMap", "json", [{"op": "remove"}]),
    ("no_operations", "ConfigMap", "json", []),
    ("null_instead_of_operations", "ConfigMap", "json", None),
    ("object_instead_of_operations", "ConfigMap", "json", {"op": "remove", "path": "/data/a"}),
    ("string_instead_of_an_operation", "ConfigMap", "json", ["remove"]),
    ("too_many_operations", "ConfigMap", "json", [{"op": "test", "path": "/data/a", "value": "1"}] * 10_001),
    ("append_to_a_list", "Deployment", "json", [
        {"op": "add", "path": f"{_TEMPLATE}/containers/-", "value": {"name": "c", "image": "c:1"}},
    ]),
    ("insert_into_a_list", "Deployment", "json", [
        {"op": "add", "path": f"{_TEMPLATE}/containers/0", "value": {"name": "c", "image": "c:1"}},
    ]),
    ("insert_at_a_negative_index", "Deployment", "json", [
        {"op": "add", "path": f"{_TEMPLATE}/containers/-1", "value": {"name": "c", "image": "c:1"}},
    ]),
    ("insert_behind_the_end", "Deployment", "json", [
        {"op": "add", "path": f"{_TEMPLATE}/containers/3", "value": {"name": "c", "image": "c:1"}},
    ]),
    ("remove_from_a_list", "Deployment", "json", [{"op": "remove", "path": f"{_TEMPLATE}/containers/-1"}]),
    ("replace_in_a_list", "Deployment", "json", [
        {"op": "replace", "path": f"{_TEMPLATE}/containers/1/image", "value": "side:2"},
    ]),
    ("replace_behind_the_end", "Deployment", "json", [
        {"op": "replace", "path": f"{_TEMPLATE}/containers/-", "value": {"name": "c", "image": "c:1"}},
    ]),
    ("odd_index", "Deployment", "json", [{"op": "remove", "path": f"{_TEMPLATE}/containers/+1"}]),
    ("index_that_is_none", "Deployment", "json", [{"op": "remove", "path": f"{_TEMPLATE}/containers/one"}]),
    ("path_through_a_scalar", "Deployment", "json", [{"op": "add", "path": "/spec/replicas/a", "value": 1}]),
]  # fmt: skip

MERGE: list[Case] = [
    ("set_and_delete", "ConfigMap", "merge", {"data": {"a": None, "b": "3", "c": "4"}}),
    ("delete_what_is_missing", "ConfigMap", "merge", {"data": {"zz": None}, "binaryData": None}),
    ("nulls_in_a_new_object", "ConfigMap", "merge", {"metadata": {"labels": {"a": "1", "b": None}}}),
    ("delete_an_object", "ConfigMap", "merge", {"data": None}),
    ("empty", "ConfigMap", "merge", {}),
    ("null", "ConfigMap", "merge", None),
    ("list", "ConfigMap", "merge", [1]),
    ("string", "ConfigMap", "merge", "x"),
    ("lists_are_replaced", "Deployment", "merge", _in_template(containers=[{"name": "c", "image": "c:1"}])),
    ("nulls_in_lists", "Deployment", "merge", _in_template(
        containers=[{"name": "c", "image": "c:1", "env": None, "args": None}],
    )),
    ("scalar_becomes_an_object", "Deployment", "merge", {"spec": {"paused": True, "minReadySeconds": 3}}),
]  # fmt: skip

STRATEGIC: list[Case] = [
    ("merge_a_container", "Deployment", "strategic", _in_web(image="web:2")),
    ("add_a_container", "Deployment", "strategic", _in_template(containers=[{"name": "new", "image": "n:1"}])),
    ("add_and_merge", "Deployment", "strategic", _in_template(
        containers=[{"name": "new", "image": "n:1"}, {"name": "side", "image": "side:2"}],
    )),
    ("delete_a_container", "Deployment", "strategic", _in_template(
        containers=[{"$patch": "delete", "name": "side"}],
    )),
    ("delete_what_is_missing", "Deployment", "strategic", _in_template(
        containers=[{"$patch": "delete", "name": "nobody"}],
    )),
    ("delete_without_key", "Deployment", "strategic", _in_template(containers=[{"$patch": "delete"}])),
    ("replace_the_list", "Deployment", "strategic", _in_template(
        containers=[{"name": "only", "image": "o:1"}, {"$patch": "replace"}],
    )),
    ("merge_directive_in_a_list", "Deployment", "strategic", _in_template(
        containers=[{"name": "only", "image": "o:1"}, {"$patch": "merge"}],
    )),
    ("unknown_directive_in_a_list", "Deployment", "strategic", _in_template(
        containers=[{"name": "only", "$patch": "maybe"}],
    )),
    ("element_without_key", "Deployment", "strategic", _in_template(containers=[{"image": "web:2"}])),
    ("merge_env", "Deployment", "strategic", _in_web(env=[{"name": "B", "value": "9"}, {"name": "C", "value": "3"}])),
    ("delete_env", "Deployment", "strategic", _in_web(env=[{"name": "A", "$patch": "delete"}])),
    ("merge_ports_by_number", "Deployment", "strategic", _in_web(ports=[{"containerPort": 443, "name": "tls"}])),
    ("scalar_list_is_replaced", "Deployment", "strategic", _in_web(args=["three"])),
    ("list_without_key_is_replaced", "Deployment", "strategic", _in_template(tolerations=[])),
    ("null_deletes", "Deployment", "strategic", _in_template(nodeSelector=None, tolerations=None)),
    ("null_deletes_an_entry", "Deployment", "strategic", _in_template(nodeSelector={"disk": None, "a": "b"})),
    ("replace_an_object", "Deployment", "strategic", _in_template(nodeSelector={"$patch": "replace", "a": "b"})),
    ("delete_an_object", "Deployment", "strategic", _in_template(nodeSelector={"$patch": "delete"})),
    ("merge_directive_in_an_object", "Deployment", "strategic", _in_template(nodeSelector={"$patch": "merge"})),
    ("retain_keys", "Deployment", "strategic", {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
    ("retain_keys_lacks_a_key", "Deployment", "strategic", {
        "spec": {"strategy": {"$retainKeys": ["rollingUpdate"], "type": "Recreate"}},
    }),
    ("retain_keys_is_no_list", "Deployment", "strategic", {"spec": {"strategy": {"$retainKeys": "type"}}}),
    ("volume_changes_its_source", "Deployment", "strategic", _in_template(
        volumes=[{"name": "conf", "$retainKeys": ["name", "secret"], "secret": {"secretName": "s"}}],
    )),
    ("finalizers_are_a_set", "Deployment", "strategic", {
        "metadata": {"finalizers": ["example.com/c", "example.com/a"]},
    }),
    ("delete_a_finalizer", "Deployment", "strategic", {
        "metadata": _directive("deleteFromPrimitiveList", "finalizers", ["example.com/a"]),
    }),
    ("delete_and_add_finalizers", "Deployment", "strategic", {
        "metadata": {
            **_directive("deleteFromPrimitiveList", "finalizers", ["example.com/a"]),
            **_directive("setElementOrder", "finalizers", ["example.com/c", "example.com/b"]),
            "finalizers": ["example.com/c"],
        },
    }),
    ("malformed_deletion", "Deployment", "strategic", {"metadata": {"$deleteFromPrimitiveList": ["a"]}}),
    ("element_order", "Deployment", "strategic", _in_template(
        **_directive("setElementOrder", "containers", [{"name": "new"}, {"name": "side"}, {"name": "web"}]),
        containers=[{"name": "new", "image": "n:1"}],
    )),
    ("element_order_alone", "Deployment", "strategic", _in_template(
        **_directive("setElementOrder", "containers", [{"name": "side"}, {"name": "web"}]),
    )),
    ("element_order_lacks_an_element", "Deployment", "strategic", _in_template(
        **_directive("setElementOrder", "containers", [{"name": "web"}]),
        containers=[{"name": "new", "image": "n:1"}],
    )),
    ("element_order_is_no_list", "Deployment", "strategic", _in_template(
        **_directive("setElementOrder", "containers", "web"),
    )),
    ("element_order_of_nothing_known", "Deployment", "strategic", _in_template(
        **_directive("setElementOrder", "boats", [{"name": "web"}]),
    )),
    ("element_order_of_a_new_list", "Deployment", "strategic", _in_template(
        **_directive("setElementOrder", "initContainers", [{"name": "b"}, {"name": "a"}]),
        initContainers=[{"name": "b", "image": "b:1"}, {"name": "a", "image": "a:1"}],
    )),
    ("mixed_elements", "Deployment", "strategic", {"metadata": {"finalizers": ["example.com/c", 1]}}),
    ("owners_by_uid", "Deployment", "strategic", {"metadata": {"ownerReferences": [
        {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1"},
    ]}}),
    ("merge_service_ports", "Service", "strategic", {"spec": {"ports": [{"port": 443, "targetPort": 8443}]}}),
    ("add_a_service_port_first", "Service", "strategic", {"spec": {
        "$setElementOrder/ports": [{"port": 81}, {"port": 80}, {"port": 443}],
        "ports": [{"name": "other", "port": 81}],
    }}),
    ("delete_a_service_port", "Service", "strategic", {"spec": {"ports": [{"port": 443, "$patch": "delete"}]}}),
    ("selector_of_a_service", "Service", "strategic", {"spec": {"selector": {"tier": "front"}}}),
    ("image_of_a_pod", "Pod", "strategic", {"spec": {"containers": [{"name": "main", "image": "main:2"}]}}),
    ("forbidden_change_of_a_pod", "Pod", "strategic", {"spec": {"hostNetwork": True}}),
    ("labels_of_a_pod", "Pod", "strategic", {"metadata": {"labels": {"a": None, "b": "2"}}}),
    ("null", "ConfigMap", "strategic", None),
    ("list", "ConfigMap", "strategic", [1]),
    ("replace_the_whole", "ConfigMap", "strategic", {
        "$patch": "replace", "metadata": {"name": "it"}, "data": {"only": "1"},
    }),
]  # fmt: skip

ALL = [*JSON, *MERGE, *STRATEGIC]
