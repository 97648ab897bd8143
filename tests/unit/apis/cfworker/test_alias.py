import pytest

from apis.meta import KubeObject, declaration_of
from apis.registry import CF_WORKER_GROUP_KINDS, CUSTOM_KINDS
from apis.schema import crd_of


@pytest.mark.parametrize("alias", CF_WORKER_GROUP_KINDS, ids=lambda kind: kind.__name__)
def test_kind_of_the_other_group_has_the_plural_the_columns_and_the_schema_of_the_canonical_one(
    alias: type[KubeObject],
) -> None:
    (canonical,) = [kind for kind in CUSTOM_KINDS if kind.__name__ == alias.__name__]

    (own,), (other,) = (crd_of(kind)["spec"]["versions"] for kind in (alias, canonical))

    assert declaration_of(alias).resource_type.name == f"{declaration_of(canonical).resource_type.plural}.api.cf-worker"
    assert {**own, "name": ""} == {**other, "name": ""}
    assert (own["name"], declaration_of(alias).short_names) == ("v1", ())
