"""Fields and rules that several kinds share."""

from typing import Annotated

from msgspec import Meta

from apis.meta import Condition, IntOrString, Rule, list_map

INT32_MAX = 2**31 - 1
LABEL = "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
_CONDITION_LIMIT = 32
_QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

Quantity = Annotated[IntOrString, Meta(extra_json_schema={"maxLength": 40, "pattern": _QUANTITY_PATTERN})]
Count = Annotated[int, Meta(ge=0, le=INT32_MAX)]
Name = Annotated[str, Meta(max_length=253)]
Conditions = Annotated[list[Condition], Meta(max_length=_CONDITION_LIMIT), list_map("type")]
ObservedGeneration = Annotated[int, Meta(description="The generation that the status speaks of.")]

# Of a root object: a manifest may come with an empty spec, but a spec never goes away again.
KEEPS_SPEC = Rule(rule="!has(oldSelf.spec) || has(self.spec)", message="spec cannot be removed")


def immutable(field: str) -> Rule:
    return Rule(
        rule=f"!has(oldSelf.{field}) || (has(self.{field}) && self.{field} == oldSelf.{field})",
        message=f"spec.{field} is immutable",
        reason="FieldValueForbidden",
        field_path=f".{field}",
    )


def matches_label(field: str) -> Rule:
    return Rule(
        rule=f"self.{field}.size() <= 63 && self.{field}.matches('{LABEL}')",
        message=f"spec.{field} must be at most 63 characters: lower case letters, digits and dashes between them",
        field_path=f".{field}",
    )


def not_empty(field: str) -> Rule:
    return Rule(rule=f"self.{field} != ''", message=f"spec.{field} must not be empty", field_path=f".{field}")


def positive(field: str) -> Rule:
    text = f"string(self.{field})"
    return Rule(
        rule=f"isQuantity({text}) && quantity({text}).isGreaterThan(quantity('0'))",
        message=f"{field} must be a quantity greater than 0",
        field_path=f".{field}",
    )


def non_negative(field: str, *, is_optional: bool = False) -> Rule:
    text = f"string(self.{field})"
    absent = f"!has(self.{field}) || " if is_optional else ""
    judged = f"isQuantity({text}) && !quantity({text}).isLessThan(quantity('0'))"
    return Rule(
        rule=f"{absent}({judged})" if is_optional else judged,
        message=f"{field} must be a quantity of at least 0",
        field_path=f".{field}",
    )


def at_most(field: str, limit: str) -> Rule:
    """Silent when one of the two is no quantity: another rule says that, and says it better."""
    low, high = f"string(self.{field})", f"string(self.{limit})"
    return Rule(
        rule=f"!isQuantity({low}) || !isQuantity({high}) || quantity({low}).compareTo(quantity({high})) <= 0",
        message=f"{field} must not be more than {limit}",
        field_path=f".{field}",
    )
