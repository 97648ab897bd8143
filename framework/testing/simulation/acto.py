"""Acto's oracles: the end depends on the spec alone, and not on the road to it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

from apis.meta import KubeObject, resource_type_of
from framework.client import Codec
from framework.testing.simulation.acts import WAIT, Act, merged
from framework.testing.simulation.oracles import Oracles
from framework.testing.simulation.outcome import Outcome, Violation
from framework.testing.simulation.plan import USER, Plan
from framework.testing.simulation.scenario import Register, Scenario
from framework.testing.simulation.schema_edits import Edit, edits_of, merge_patch
from framework.testing.simulation.simulate import Report, Simulation, SimulationFailed
from framework.testing.simulation.workloads import schemas_of

_FIRST_NOT_OK = 300


class CampaignReport(Report, frozen=True):
    # Fields of which the server has refused every other value.
    untouched: tuple[str, ...] = ()


class Campaign(Simulation):
    """Every field of *resource* is changed in every way that its schema suggests.

    For each change the object is made so from the start, changed to it, and
    changed back: the end must be the same by every road. What the server
    refuses is not asked of the controller. Fields in `Scenario.fixed` are
    changed at birth only.
    """

    def __init__(self, scenario: Scenario, resource: KubeObject) -> None:
        super().__init__(scenario)
        kind = resource_type_of(type(resource))
        self._path = kind.path(resource.metadata.namespace, resource.metadata.name)
        self._schema = schemas_of(scenario.definitions)[kind.gvk.group, kind.plural]
        self._manifest = Codec(type(resource), kind).manifest(resource)
        self._fresh: dict[str, Oracles] = {}
        # Plans of one act that the server has taken.
        self._taken: set[str] = set()

    def edits(self) -> list[Edit]:
        return list(edits_of(self._schema, self._manifest.get("spec", {})))

    def plans(self) -> list[Plan]:
        return [plan for edit in self.edits() for plan in (self._at_birth(edit), *self._roads(edit))]

    def untouched(self) -> tuple[str, ...]:
        """Fields of which the server has refused every other value: nothing is known about them."""
        touched = {edit.path for edit in self.edits() if str(self._at_birth(edit)) in self._taken}
        return tuple(dict.fromkeys(edit.path for edit in self.edits() if edit.path not in touched))

    def judge(self, plan: Plan) -> tuple[Violation, ...]:
        outcome = self.run(plan)
        if _was_refused(outcome):
            return ()
        self._taken.add(str(plan))
        if len(plan.acts) <= 1 or outcome.violations:
            return outcome.violations
        return tuple(self._compared(plan, outcome))

    def _at_birth(self, edit: Edit) -> Plan:
        return Plan(0, (), (self._create({**self._manifest, "spec": edit.spec}),))

    def _roads(self, edit: Edit) -> Iterator[Plan]:
        first, spec = self._create(self._manifest), self._manifest.get("spec", {})
        if not any(fnmatch(edit.path, pattern) for pattern in self.scenario.fixed):
            there = Act("edit", self._path, {"spec": merge_patch(spec, edit.spec)})
            back = Act("edit", self._path, {"spec": merge_patch(edit.spec, spec)})
            yield Plan(0, (), (first, WAIT, there))
            yield Plan(0, (), (first, WAIT, there, WAIT, back))

    def _compared(self, plan: Plan, outcome: Outcome) -> Iterator[Violation]:
        manifest: Any = {}
        for act in plan.acts:
            manifest = merged(manifest, act.body) if act.body else manifest
        is_back = manifest == self._manifest
        road = "going back does not restore" if is_back else "another road does not lead to"
        for violation in self._oracles_from(manifest).judge(outcome, has_same_counts=False):
            yield Violation("acto", f"{road} what the same spec gives from the start: {violation.message}")

    def _oracles_from(self, manifest: Mapping[str, Any]) -> Oracles:
        """Of runs in which the object is made so from the start."""
        acts = (self._create(manifest),)
        name = str(Plan(0, (), acts))
        if name not in self._fresh:
            references = [self.run(Plan(seed, (), acts)) for seed in range(2)]
            self._fresh[name] = Oracles(references, self.scenario.masked)
        return self._fresh[name]

    def _create(self, manifest: Mapping[str, Any]) -> Act:
        return Act("create", self._path, dict(manifest))


def campaign(
    register: Register | Mapping[str, Register],
    resource: KubeObject,
    *,
    definitions: Sequence[Mapping[str, Any]],
    plan: Plan | None = None,
    replay: Callable[[Plan], str] = str,
    **options: Any,
) -> CampaignReport:
    """Raise SimulationFailed unless the end depends on the spec of *resource* alone, whatever is changed in it.

    *options* are those of Scenario.
    """
    __tracebackhide__ = True
    processes = register if isinstance(register, Mapping) else {"controller": register}
    simulation = Campaign(Scenario(processes, lambda _user: None, definitions=definitions, **options), resource)
    report = simulation.check(simulation.plans() if plan is None else [plan])
    if report.failures:
        raise SimulationFailed(report, replay)
    untouched = () if plan is not None else simulation.untouched()
    return CampaignReport(report.plans, report.seconds, report.failures, untouched)


def _was_refused(outcome: Outcome) -> bool:
    return any(step.process == USER and step.status >= _FIRST_NOT_OK for step in outcome.steps)
