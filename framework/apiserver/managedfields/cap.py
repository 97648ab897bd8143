"""At most ten managers that write by updates: the oldest are merged into one."""

from framework.apiserver.managedfields.entries import UPDATE, Managed, ManagerId, Managers, manager_id
from framework.apiserver.managedfields.fieldset import union

_MOST_UPDATERS = 10
_ANCIENT = "ancient-changes"


def capped(managers: Managers) -> Managers:
    updaters = [identity for identity in managers if identity.operation == UPDATE]
    excess = len(updaters) - _MOST_UPDATERS
    if excess <= 0:
        return managers
    result = dict(managers)
    updaters.sort(key=lambda identity: (managers[identity].time or "", identity.text()))
    # The oldest of each version; only versions with a second old one get a bucket.
    first: dict[str, ManagerId] = {}
    for identity in updaters:
        if excess <= 0:
            break
        managed = result[identity]
        oldest = first.setdefault(managed.api_version, identity)
        if oldest is identity:
            continue
        bucket = manager_id(_ANCIENT, UPDATE, managed.api_version, "")
        if bucket not in result:
            result[bucket] = result.pop(oldest)
        merged = union(managed.fields, result[bucket].fields)
        result[bucket] = Managed(merged, managed.api_version, managed.time)
        # A bucket that is not its version's oldest is lost here; so does the real server.
        del result[identity]
        excess -= 1
    return result
