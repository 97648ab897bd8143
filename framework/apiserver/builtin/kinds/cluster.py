"""Namespaces, nodes and service accounts."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from framework.apiserver.builtin.defaults.objects import NAME_LABEL
from framework.apiserver.builtin.strategy import BuiltinStrategy, Selectable, restore, text_at
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, ip_network
from framework.apiserver.builtin.validation.resources import quantity
from framework.apiserver.builtin.validation.tolerations import taints
from framework.apiserver.fields import FieldError, FieldProblem, forbidden_field, invalid_value
from framework.apiserver.objectmeta import NameRule, label_name
from framework.apiserver.objects import Object

_FINALIZER = "kubernetes"
_FINALIZERS_WITHOUT_DOMAIN = {_FINALIZER, "orphan", "foregroundDeletion"}


class NamespaceStrategy(BuiltinStrategy):
    rechecks_metadata = True
    selectable: ClassVar[Selectable] = {"status.phase": text_at("status", "phase")}

    def name_rule(self) -> NameRule:
        return label_name

    def prepare_for_create(self, obj: Object) -> None:
        obj["status"] = {"phase": "Active"}
        finalizers = obj.setdefault("spec", {}).setdefault("finalizers", [])
        if _FINALIZER not in finalizers:
            finalizers.append(_FINALIZER)
        obj["metadata"].setdefault("labels", {})[NAME_LABEL] = obj["metadata"].get("name", "")

    def prepare_for_update(self, new: Object, old: Object, subresource: str) -> None:
        if subresource == "finalize":
            restore(new, old, "status")
        else:
            super().prepare_for_update(new, old, subresource)

    def prepare_spec_update(self, new: Object, old: Object) -> None:
        restore(new, old, "spec")

    def validate_update(self, new: Object, old: Object, subresource: str) -> Sequence[FieldError]:
        if subresource == "finalize":
            return [*_finalizers(new, "spec.finalizers[{}]")]
        return super().validate_update(new, old, subresource)

    def problems(self, obj: Object) -> Errors:
        return _finalizers(obj, "spec.finalizers")

    def status_problems(self, new: Object, old: Object) -> Errors:  # noqa: ARG002 - the old one does not matter
        is_deleted = "deletionTimestamp" in new["metadata"]
        expected, condition = ("Terminating", "not empty") if is_deleted else ("Active", "empty")
        phase = new["status"].get("phase", "")
        if phase != expected:
            yield invalid_value(
                "status.Phase", phase, f"may only be '{expected}' if `deletionTimestamp` is {condition}"
            )


def _finalizers(namespace: Object, field: str) -> Errors:
    for position, name in enumerate(namespace.get("spec", {}).get("finalizers", ())):
        path = field.format(position)
        yield from each(path, name, names.qualified_name(name))
        if "/" not in name and name not in _FINALIZERS_WITHOUT_DOMAIN:
            yield invalid_value(path, name, "name is neither a standard finalizer name nor is it fully qualified")


class NodeStrategy(BuiltinStrategy):
    rechecks_metadata = True
    selectable: ClassVar[Selectable] = {
        "spec.unschedulable": lambda node: str(node["spec"].get("unschedulable", False)).lower()
    }

    def prepare_for_create(self, obj: Object) -> None:
        """Nothing: kubelets create their node together with its status."""

    def problems(self, obj: Object) -> Errors:
        spec = obj.get("spec", {})
        yield from taints("metadata.taints", spec.get("taints", ()))
        yield from _amounts(obj)
        for position, network in enumerate(spec.get("podCIDRs", ())):
            yield from ip_network(f"spec.podCIDRs[{position}]", network)

    def update_problems(self, new: Object, old: Object) -> Errors:
        yield from self.status_problems(new, old)
        before, after = old.get("spec", {}), new.get("spec", {})
        for field, shown in (("podCIDRs", "podCIDR"), ("providerID", "providerID")):
            if before.get(field) and before[field] != after.get(field):
                yield forbidden_field(f"spec.{field}", f'node updates may not change {shown} except from "" to valid')

    def status_problems(self, new: Object, old: Object) -> Errors:  # noqa: ARG002 - the old one does not matter
        yield from _amounts(new)
        seen: list[Object] = []
        for position, address in enumerate(new.get("status", {}).get("addresses", ())):
            if address in seen:
                yield FieldError(FieldProblem.DUPLICATE, f"status.addresses[{position}]", address)
            seen.append(address)


def _amounts(node: Object) -> Errors:
    for field in ("capacity", "allocatable"):
        amounts: Mapping[str, str] = node.get("status", {}).get(field, {})
        for name, amount in amounts.items():
            yield from quantity(f"status.{field}.{name}", name, amount)


class ServiceAccountStrategy(BuiltinStrategy):
    rechecks_metadata = True

    def prepare_for_create(self, obj: Object) -> None:
        _keep_names_of_secrets(obj)

    def prepare_spec_update(self, new: Object, old: Object) -> None:  # noqa: ARG002 - the old one does not matter
        _keep_names_of_secrets(new)


def _keep_names_of_secrets(account: Object) -> None:
    if secrets := account.get("secrets"):
        account["secrets"] = [{"name": one["name"]} if "name" in one else {} for one in secrets]
