"""One run: a server, processes, a user, and a plan of what goes wrong."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from apis.meta import Key
from framework.apiserver.server import ADMIN
from framework.client import Client, ClusterAddress, StaticCredentials
from framework.errors import ConfigurationError
from framework.http.exchange import Answer, ServerRequest
from framework.testing.simulation.actor import Actor
from framework.testing.simulation.captured_log import captured_log
from framework.testing.simulation.fencing import Fencing
from framework.testing.simulation.leases import taken_by_a_stranger
from framework.testing.simulation.manifest import as_the_user_wrote_it
from framework.testing.simulation.network import Network
from framework.testing.simulation.outcome import Outcome, Violation
from framework.testing.simulation.plan import ACTS_OF_THE_USER, HOME, QUIET, USER, Fault, Plan
from framework.testing.simulation.process import Host, Process, Stage
from framework.testing.simulation.quiet import Quiet, counts
from framework.testing.simulation.reviews import Reviews
from framework.testing.simulation.runtime import SimulatedClock, SimulatedRuntime
from framework.testing.simulation.scenario import Scenario, User
from framework.testing.simulation.scheduler import Life, Scheduler, SimulatedTask, Stuck
from framework.testing.simulation.site import Site
from framework.testing.simulation.state import counts_of, state_of
from framework.testing.simulation.store import Commit, Snapshot
from framework.testing.simulation.trace import Trace, cluster_of, kind_of
from framework.testing.simulation.witness import Witness

_FIRST_NOT_OK = 300
_RECREATE_POLL_SECONDS = 0.5
# More than a reader waits for a cache.
_LOOK_SECONDS = 60.0
# Who has failed for a while waits about as long before the next try.
_RECOVERY_SECONDS = 150.0
_RECOVERY_PARTS = 5


class Run:
    """Used once. Everything that it makes ends with `outcome`."""

    def __init__(self, scenario: Scenario, plan: Plan, snapshots: Mapping[str, Snapshot] | None = None) -> None:
        self._scenario = scenario
        self._plan = plan
        self._scheduler = Scheduler(plan.seed)
        self._trace = Trace()
        self._violations: list[Violation] = []
        self._life = Life("cluster")
        self._clock = SimulatedClock(self._scheduler)
        # What the server does is atomic: interleavings inside it are not what is tested here.
        self._runtime = SimulatedRuntime(self._scheduler, self._life, is_preemptive=False)
        self.webhooks = Reviews(self._scheduler, self._clock, self._runtime)
        self._sites = {name: self._new_site(name, snapshots or {}) for name in (HOME, *scenario.remotes)}
        self._journal, self.server = self._sites[HOME].journal, self._sites[HOME].server
        # By task: the last one that it has made.
        self._commits: dict[SimulatedTask | None, Commit] = {}
        # Faults that are not over yet, and without whose end nothing is at rest.
        self._lasting = 0
        self._user_revisions: set[int] = set()
        self._recovered_at = 0.0
        journals = {name: site.journal for name, site in self._sites.items()}
        is_undone = any(fault.do in ACTS_OF_THE_USER for fault in plan.faults)
        self.quiet = Quiet(
            self._clock, list(journals.values()), scenario.quiet_seconds, scenario.limit_seconds, is_undone=is_undone
        )
        self._networks = {name: Network(self._clock) for name in (USER, *scenario.processes)}
        stage = self._stage = Stage(
            self._scheduler,
            self._sites,
            self._networks.__getitem__,
            self,
            plan,
            self._trace,
            self._report,
            self.webhooks,
            scenario.limits,
        )
        self._processes = {
            name: Process(name, register, scenario.options_of(name), stage)
            for name, register in scenario.processes.items()
        }
        self._witness = Witness(
            scenario, self._processes, scheduler=self._scheduler, journals=journals, trace=self._trace
        )

    def outcome(self) -> Outcome:
        if self._scenario.outside is not None:
            self._scenario.outside.reset()
        with captured_log() as log:
            try:
                self._play()
                self._look_at_tasks()
                return self._result(log)
            except Stuck as stuck:
                self._report("stuck", str(stuck))
                return self._result(log)
            finally:
                self._scheduler.close()

    def snapshots(self) -> dict[str, Snapshot]:
        """What a run of this scenario begins from."""
        with captured_log():
            self._start_companions()
            self._scheduler.spawn("prepare", self._prepare, self._life)
            self._scheduler.run(lambda: False, limit_seconds=self._scenario.quiet_seconds)
            errors = [task.error for task in self._scheduler.tasks if task.error is not None]
            self._scheduler.close()
        for error in errors:
            raise error
        return {name: site.journal.snapshot() for name, site in self._sites.items()}

    # What faults can do.

    @property
    def own_commit(self) -> Commit | None:
        return self._commits.get(self._scheduler.current)

    def sever(self, process: str, fault: Fault) -> None:
        network = self._networks[process]
        if fault.do == "cut":
            network.cut(fault.object, fault.seconds)
            self._sites[fault.object].replica_of(process).disconnect()
        else:
            network.swallow(fault.object, fault.seconds)
        self._lasting += 1
        self._scheduler.spawn("heal", lambda: self._after(fault.seconds, lambda: None), self._life)

    @property
    def reviews(self) -> int:
        return self.webhooks.count

    def disturb_webhooks(self, fault: Fault) -> None:
        self.webhooks.disturb(fault)

    def crash(self, process: str, seconds: float) -> None:
        # Before the end of the life: the caller may be part of it.
        self._scheduler.spawn(f"restart-{process}", lambda: self._restart(process, seconds), self._life)
        self._processes[process].crash()

    def signal(self, process: str, fault: Fault) -> None:
        host = self._processes[process].host
        if host is None:
            return
        if fault.do == "terminate":
            self._scheduler.spawn(f"{host.life.name}/terminate", lambda: self._end(process, fault.seconds), host.life)
        else:
            self._lasting += 1
            go_on = partial(self._scheduler.go_on, host.life)
            self._scheduler.spawn("go-on", lambda: self._after(fault.seconds, go_on), self._life)
            self._scheduler.stand_still(host.life)

    def await_recovery(self, seconds: float) -> None:
        self._recovered_at = self._scheduler.elapsed + seconds + _RECOVERY_SECONDS

        def keep_awake() -> None:
            self._clock.wait(seconds)
            for _ in range(_RECOVERY_PARTS):
                self.quiet.stir()
                self._clock.wait(_RECOVERY_SECONDS / _RECOVERY_PARTS)

        self._scheduler.spawn("recovery", keep_awake, self._life)

    def act(self, fault: Fault) -> None:
        if fault.do in ("delete_lease", "take_lease"):
            self._lose_lease(fault)
            return
        answer = self._ask("GET", fault.object)
        if answer.status >= _FIRST_NOT_OK or "deletionTimestamp" in msgspec.json.decode(answer.body)["metadata"]:
            # The user has done it already.
            return
        manifest = self._as_the_user_wrote_it(fault.object)
        self._ask("DELETE", fault.object)
        if fault.do == "recreate" and manifest is not None:
            self._scheduler.spawn("recreate", lambda: self._create_when_gone(fault.object, manifest), self._life)

    def is_overtaken(self, path: str, event: dict[str, Any]) -> bool:
        metadata = event["object"]["metadata"]
        key, plural = Key(metadata.get("namespace", ""), metadata["name"]), path.rpartition("/")[2]
        version = int(metadata["resourceVersion"])
        commits = reversed(self._sites[cluster_of(path)].journal.commits)
        return any(each.key == key and each.resource.resource == plural and each.revision > version for each in commits)

    def note_user_write(self) -> None:
        self._user_revisions.add(self.server.storage.revision)

    def note_token(self, token: str) -> None:
        self._witness.note_token(token)

    def stir(self, request: str) -> None:
        self.quiet.stir(request)

    # The course of a run.

    def _play(self) -> None:
        self._start_companions()
        for process in self._processes.values():
            process.start()
        host = Host(USER, 1, self._stage)
        task = self._scheduler.spawn("workload", self._workload_of(host), host.life)
        limit = self._scenario.limit_seconds
        if not self._scheduler.run(lambda: task.has_ended, limit_seconds=2 * limit):
            self._report("O1", "the workload did not come to its end")
        if task.error is not None:
            self._report("workload", f"{type(task.error).__name__}: {task.error}")
        self._become_quiet()
        for fault in self._plan.faults:
            if fault.request == QUIET:
                self.quiet.stir()
                self.act(fault)
                self._become_quiet()
        self._await_watches()
        self._look_at_caches()
        # Again: one may have come to its end while the caches were looked at.
        self._await_watches()
        if not self._plan.faults and not self._violations:
            self._start_again()

    def _workload_of(self, host: Host) -> Callable[[], None]:
        if self._plan.acts:
            actor = Actor(host.transport, self.quiet, host.clock, self._scenario.limit_seconds)
            return lambda: actor.play(self._plan.acts)
        user = User(host.client, self.quiet, self._remote_clients(host))
        return lambda: self._scenario.workload(user)

    def _start_again(self) -> None:
        """Who finds everything done has nothing to write."""
        before = len(self._trace.steps)
        for name in self._processes:
            self.crash(name, self._scenario.down_seconds)
        self._become_quiet()
        # What comes after the end is no part of the trace.
        after = self._trace.steps[before:]
        del self._trace.steps[before:]
        writes = [
            step.request for step in after if step.nth and kind_of(step.request) == "write" and counts(step.request)
        ]
        if writes:
            self._report("O1", f"a settled cluster, started again, is written to: {'; '.join(writes[:3])}")

    def _become_quiet(self) -> None:
        if not self._scheduler.run(self._is_quiet, limit_seconds=self._scenario.limit_seconds):
            self._report("O1", f"still writing after {self._scenario.limit_seconds:g} s: {self._last_writes()}")

    def _is_quiet(self) -> bool:
        if self._lasting or self._scheduler.elapsed < self._recovered_at or self.quiet.seconds_left > 0:
            return False
        return all(process.host is not None for process in self._processes.values())

    def _last_writes(self) -> str:
        writes = [
            step.request for step in self._trace.steps if step.status and not step.request.startswith(("GET", "W"))
        ]
        return "; ".join(writes[-3:])

    def _look_at_tasks(self) -> None:
        for task in self._scheduler.tasks:
            if task.error is not None and task.life.name != USER:
                self._report("O8", f"task {task.name} died: {type(task.error).__name__}: {task.error}")
        if self._stuck():
            # Whoever has the lock may be about to run, and did not get to it in this moment.
            self._scheduler.run(lambda: not self._scheduler.ready, limit_seconds=0.0)
        if stuck := self._stuck():
            self._report("stuck", f"deadlock: the cluster is quiet, and these wait for a lock: {', '.join(stuck)}")

    def _stuck(self) -> list[str]:
        return [name for name in self._scheduler.blocked() if name.endswith("(a lock)")]

    def _await_watches(self) -> None:
        """One that is just being opened again is not closed for good."""
        steps = [step for step in self._trace.steps if kind_of(step.request) == "watch"]
        wanted = dict.fromkeys((step.process, step.request) for step in steps if step.process in self._processes)

        def are_open() -> bool:
            hosts = {name: self._processes[name].host for name, _ in wanted}
            return all((host := hosts[name]) is not None and request in host.open_watches for name, request in wanted)

        self._scheduler.run(are_open, limit_seconds=_LOOK_SECONDS)

    def _look_at_caches(self) -> None:
        if self._violations:
            # Who is still writing has caches that are still changing.
            return
        task = self._scheduler.spawn("caches", lambda: self._witness.look_at_caches(self._report), self._life)
        self._scheduler.run(lambda: task.has_ended, limit_seconds=_LOOK_SECONDS)
        if task.error is not None or not task.has_ended:
            self._report("O4", f"a cache cannot be read: {task.error or 'it waits for ever'}")

    def _result(self, log: list[dict[str, Any]]) -> Outcome:
        for line in log:
            if line["level"] == "error" and line.get("exc_info") and line["event"] != "reconcile_raised":
                self._report("O8", f"{line['event']}: {line.get('exc_info')!r}")
        self._violations.extend(self._writes_out_of_term())
        self._violations.extend(self._witness.found(log))
        outside = self._scenario.outside.state() if self._scenario.outside is not None else None
        hosts = [process.host for process in self._processes.values() if process.host is not None]
        state, counts_by_object = state_of(self._journal, outside), counts_of(self._journal.commits)
        for name in self._scenario.remotes:
            journal = self._sites[name].journal
            state |= {f"{name}:{path}": value for path, value in state_of(journal).items()}
            counts_by_object |= {f"{name}:{each}": count for each, count in counts_of(journal.commits).items()}
        return Outcome(
            plan=self._plan,
            steps=self._trace.steps,
            state=state,
            counts=counts_by_object,
            open_watches=tuple(sorted(path for host in hosts for path in host.open_watches)),
            violations=tuple(dict.fromkeys(self._violations)),
            log=log,
        )

    def _writes_out_of_term(self) -> list[Violation]:
        seconds = {
            name: self._scenario.options_of(name).leader.renew_deadline_seconds
            for name, process in self._processes.items()
            if process.is_led
        }
        return Fencing(self._trace.steps, self._journal.commits, seconds).violations()

    def _note_commit(self, commit: Commit) -> None:
        self._commits[self._scheduler.current] = commit

    def _report(self, oracle: str, message: str) -> None:
        self._violations.append(Violation(oracle, message))

    def _new_site(self, name: str, snapshots: Mapping[str, Snapshot]) -> Site:
        site = Site(
            name,
            snapshots.get(name),
            seed=self._plan.seed,
            clock=self._clock,
            runtime=self._runtime,
            webhooks=self.webhooks,
        )
        site.journal.committed = self._note_commit
        return site

    def _start_companions(self) -> None:
        for site in self._sites.values():
            site.start(self._scenario.companions)

    def _prepare(self) -> None:
        for definition in self._scenario.definitions:
            path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
            for site in self._sites.values():
                answer = self._ask("POST", path, definition, site)
                if answer.status >= _FIRST_NOT_OK:
                    raise ConfigurationError(f"a definition was refused: {answer.body.decode()}")
        if self._scenario.prepare is not None:
            self._scenario.prepare(Host(USER, 1, self._stage).client)

    def _lose_lease(self, fault: Fault) -> None:
        if fault.do == "delete_lease":
            self._ask("DELETE", fault.object)
            return
        answer = self._ask("GET", fault.object)
        if answer.status < _FIRST_NOT_OK:
            lease = msgspec.json.decode(answer.body)
            lease["spec"] |= taken_by_a_stranger(lease["spec"], self._clock.now())
            self._ask("PUT", fault.object, lease)

    def _after(self, seconds: float, act: Callable[[], None]) -> None:
        self._clock.wait(seconds)
        act()
        self._lasting -= 1
        self.quiet.stir()

    def _end(self, process: str, seconds: float) -> None:
        self._processes[process].terminate()
        self.crash(process, seconds)

    def _restart(self, process: str, seconds: float) -> None:
        self._clock.wait(seconds or self._scenario.down_seconds)
        self._processes[process].start()
        self.quiet.stir()

    def _as_the_user_wrote_it(self, path: str) -> dict[str, Any] | None:
        plural, name = path.split("/")[-2:]
        for commit in reversed(self._journal.commits):
            is_it = commit.resource.resource == plural and commit.key.name == name
            if is_it and commit.raw is not None and commit.revision in self._user_revisions:
                return as_the_user_wrote_it(msgspec.json.decode(commit.raw))
        return None

    def _create_when_gone(self, path: str, manifest: dict[str, Any]) -> None:
        while self._ask("GET", path).status < _FIRST_NOT_OK:
            self._clock.wait(_RECREATE_POLL_SECONDS)
            self.quiet.stir()
        self._ask("POST", path.rpartition("/")[0], manifest)

    def _remote_clients(self, host: Host) -> dict[str, Client]:
        credentials = {name: StaticCredentials(ClusterAddress(f"https://{name}")) for name in self._scenario.remotes}
        return {name: Client(host.connect(each)) for name, each in credentials.items()}

    def _ask(self, method: str, target: str, body: Any = None, site: Site | None = None) -> Answer:
        headers = {"content-type": "application/json", "accept": "application/json", "user-agent": "simulation"}
        raw = b"" if body is None else msgspec.json.encode(body)
        server = self.server if site is None else site.server
        with self._witness.for_the_user():
            return server.handle(ServerRequest(method, target, headers, raw, ADMIN))
