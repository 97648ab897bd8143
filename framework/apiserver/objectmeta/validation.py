"""What is wrong with the metadata of an object, and with a change of metadata."""

from collections.abc import Mapping, Sequence
from typing import Any

from framework.apiserver.fields import FieldError, forbidden_field, invalid_value, required
from framework.apiserver.objectmeta.finalizers import added_finalizer_errors, finalizer_errors, unqualified_errors
from framework.apiserver.objectmeta.labels import annotation_errors, label_errors
from framework.apiserver.objectmeta.managers import managed_fields_errors
from framework.apiserver.objectmeta.names import NameRule, label_name, path_segment_name, subdomain_name
from framework.apiserver.objectmeta.owners import owner_errors
from framework.apiserver.objects import Object

Metadata = Mapping[str, Any]

# What a name rule is told: more characters will follow, or none.
_IS_PREFIX, _IS_WHOLE = True, False
_IMMUTABLE = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")


def validate_new(
    obj: Object,
    *,
    is_namespaced: bool,
    name_rule: NameRule = path_segment_name,
    has_core_finalizers: bool = False,
) -> list[FieldError]:
    """The errors of an object as it stands; a name must have been generated already.

    *has_core_finalizers*: finalizers must be qualified, or be of those that Kubernetes itself knows.
    """
    metadata: Metadata = obj["metadata"]
    finalizers = metadata.get("finalizers") or ()
    errors = [
        *validate_name(obj, name_rule),
        *_namespace_errors(metadata.get("namespace") or "", is_namespaced=is_namespaced),
        *_generation_errors(metadata.get("generation") or 0),
        *_map_and_owner_errors(metadata),
        *finalizer_errors(finalizers),
        *managed_fields_errors(metadata.get("managedFields") or ()),
    ]
    return [*errors, *unqualified_errors(finalizers)] if has_core_finalizers else errors


def validate_change(new: Object, old: Object, *, has_core_finalizers: bool = False) -> list[FieldError]:
    """The errors of an update; some of those of the new object as it stands are among them."""
    metadata: Metadata = new["metadata"]
    errors = [
        *_transition_errors(metadata, old["metadata"]),
        *_map_and_owner_errors(metadata),
        *managed_fields_errors(metadata.get("managedFields") or ()),
    ]
    return [*errors, *unqualified_errors(metadata.get("finalizers") or ())] if has_core_finalizers else errors


def validate_update(new: Object, old: Object, *, is_namespaced: bool) -> list[FieldError]:
    """What every update goes through before its kind looks at it; kinds repeat parts of it, and errors with them."""
    errors = validate_new(new, is_namespaced=is_namespaced)
    # Without an error now, what both have in common has none either.
    return [*errors, *validate_change(new, old)] if errors else _transition_errors(new["metadata"], old["metadata"])


def validate_name(obj: Object, rule: NameRule = subdomain_name) -> list[FieldError]:
    """The errors of generateName and name."""
    metadata: Metadata = obj["metadata"]
    errors = []
    if prefix := metadata.get("generateName"):
        errors += [invalid_value("metadata.generateName", prefix, problem) for problem in rule(prefix, _IS_PREFIX)]
    if name := metadata.get("name"):
        errors += [invalid_value("metadata.name", name, problem) for problem in rule(name, _IS_WHOLE)]
    else:
        errors.append(required("metadata.name", "name or generateName is required"))
    return errors


def _namespace_errors(namespace: str, *, is_namespaced: bool) -> Sequence[FieldError]:
    if not is_namespaced:
        return [forbidden_field("metadata.namespace", "not allowed on this type")] if namespace else ()
    if not namespace:
        return [required("metadata.namespace")]
    return [invalid_value("metadata.namespace", namespace, problem) for problem in label_name(namespace, _IS_WHOLE)]


def _generation_errors(generation: int) -> Sequence[FieldError]:
    if generation >= 0:
        return ()
    return [invalid_value("metadata.generation", generation, "must be greater than or equal to 0")]


def _map_and_owner_errors(metadata: Metadata) -> Sequence[FieldError]:
    return [
        *label_errors(metadata.get("labels") or {}),
        *annotation_errors(metadata.get("annotations") or {}),
        *owner_errors(metadata.get("ownerReferences") or ()),
    ]


def _transition_errors(metadata: Metadata, before: Metadata) -> list[FieldError]:
    errors: list[FieldError] = []
    if before.get("deletionTimestamp"):
        errors += added_finalizer_errors(metadata.get("finalizers") or (), before.get("finalizers") or ())
    if not metadata.get("resourceVersion"):
        errors.append(invalid_value("metadata.resourceVersion", "", "must be specified for an update"))
    generation = metadata.get("generation") or 0
    if generation < (before.get("generation") or 0):
        errors.append(invalid_value("metadata.generation", generation, "must not be decremented"))
    for field in _IMMUTABLE:
        if (value := metadata.get(field)) != before.get(field):
            errors.append(invalid_value(f"metadata.{field}", value, "field is immutable"))
    return errors
