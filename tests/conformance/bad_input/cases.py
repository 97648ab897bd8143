"""Requests that no careful client sends: each has the same answer on both servers."""

from tests.conformance.bad_input.bodies import bodies, numbers
from tests.conformance.bad_input.case import Case
from tests.conformance.bad_input.media_types import media_types
from tests.conformance.bad_input.parameters import parameters
from tests.conformance.bad_input.patches import patches
from tests.conformance.bad_input.paths import paths, people

CASES: dict[str, Case] = {
    **bodies(),
    **numbers(),
    **parameters(),
    **media_types(),
    **paths(),
    **people(),
    **patches(),
}
