"""Each controller of workers, alone in its process, with the rules that the chart has for it."""

from collections.abc import Mapping

from tests.component.rights.guarded import Permission
from tests.component.rights.workers_story import WorkersStory

_NOT_HEARD_OF = "of one that the cache has not heard of yet: a race that no story can be sure of"
_SCRIPT_OBJECTS = "code that two releases name: tests/component/workers/test_script_objects.py"
# What the story has no occasion for, and where it is shown that there is one.
UNUSED: Mapping[Permission, str] = {
    ("patch", "events.k8s.io", "events"): "an event that comes again: tests/component/events",
    ("get", "", "secrets"): "credentials of a real registry: tests/integration/workers_build",
    ("get", "batch", "jobs"): _NOT_HEARD_OF,
    ("get", "api.worker-release", "workerreleases"): _SCRIPT_OBJECTS,
    ("get", "api.worker-deployment", "workerdeployments"): _SCRIPT_OBJECTS,
    ("patch", "", "configmaps"): "another attempt, at a plan that somebody has changed",
    ("patch", "api.cf-worker", "jobbuilders"): "a build that is wanted again: tests/component/workers/test_builds.py",
    ("delete", "api.cf-worker", "jobbuilders"): "a build whose image goes: tests/component/workers/test_purge.py",
}


def test_rules_are_enough_and_none_is_left_over() -> None:
    story = WorkersStory()

    story.tell()

    left = {
        permission for some in story.guarded.unused().values() for permission in some if not is_elsewhere(permission)
    }
    assert left - set(UNUSED) == set()


def is_elsewhere(permission: Permission) -> bool:
    _, group, resource = permission
    # Autoscalers are no kind of the embedded server, and made by the code that makes the other children. The rights to
    # finalizers are asked for by a plugin that is off by default: tests/integration/peerpods/test_rights.py.
    return group == "autoscaling" or resource.endswith("/finalizers")
