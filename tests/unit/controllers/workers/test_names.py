import pytest

from controllers.workers.env_prefixes import env_prefixes
from controllers.workers.names import (
    content_hash,
    job_name,
    script_object_name,
    service_name,
    slug,
    suffixed,
)


def test_a_legal_name_stays_as_it_is() -> None:
    assert slug("wasm-worker-1") == "wasm-worker-1"


@pytest.mark.parametrize("name", ["workerBundleName", "a_b", "-a-", "a.b", "x" * 300])
def test_any_other_becomes_legal_and_keeps_a_hash_of_its_own(name: str) -> None:
    made = slug(name, 63)

    assert len(made) <= 63
    assert made == made.lower().strip("-")
    assert made != slug(name + "x", 63)


def test_names_that_look_alike_do_not_meet() -> None:
    assert slug("a_b") != slug("a-b") != slug("A-b")


def test_a_service_does_not_begin_with_a_digit() -> None:
    assert service_name("1st") == "w-1st-svc"
    assert service_name("first") == "first-svc"


def test_a_suffix_is_kept_when_the_name_is_too_long() -> None:
    assert suffixed("acme.hello", "0123456789") == "acme.hello-0123456789"
    made = suffixed("a" * 250, "0123456789")
    assert (len(made) <= 253, made.endswith("-0123456789")) == (True, True)


def test_two_accounts_never_share_a_name() -> None:
    assert script_object_name("a", "b-c") != script_object_name("a-b", "c")


def test_a_job_name_fits_a_label() -> None:
    assert job_name("acme-0123456789") == "acme-0123456789-job"
    assert len(job_name("a" * 200)) == 63


def test_a_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert content_hash({"a": 1, "b": {"c": 2, "d": 3}}) == content_hash({"b": {"d": 3, "c": 2}, "a": 1})


def test_a_script_has_the_prefix_of_its_name() -> None:
    assert env_prefixes({"wasm-worker": ["KEY"]}) == {"wasm-worker": "WASM_WORKER_"}


def test_scripts_that_would_share_a_variable_get_prefixes_of_their_own() -> None:
    keys = {"a": ["B_X"], "a-b": ["X"], "c": ["X"]}

    made = env_prefixes(keys)

    variables = [made[script] + key for script, names in keys.items() for key in names]
    assert len(set(variables)) == len(variables)
    assert made["c"] == "C_"
    assert made["a"].startswith("A_")
    assert made["a-b"].startswith("A_B_")
