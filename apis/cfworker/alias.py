"""Four kinds once more, in the group that upstream's code puts them into: the same fields, defined once.

They have no short names: `wkb` and the like mean the kinds of upstream's documentation.
"""

from typing import TypeVar

import msgspec

from apis.cfworker import workeraccount, workerbundle, workerdeployment, workerrelease
from apis.cfworker.field import GROUP
from apis.meta import DECLARATION, GroupVersionKind, KubeObject, declaration_of

T = TypeVar("T", bound=KubeObject)


def _in_this_group(canonical: type[T]) -> type[T]:
    made: type[T] = msgspec.defstruct(  # type: ignore[assignment] # a Struct of the kinds that its base is of
        canonical.__name__,
        (),
        bases=(canonical,),
        module=__name__,
        # Its own words are what a schema takes from a class.
        namespace={"__doc__": canonical.__doc__},
        frozen=True,
        kw_only=True,
    )
    declaration = declaration_of(canonical)
    gvk = GroupVersionKind(GROUP, "v1", declaration.resource_type.gvk.kind)
    resource_type = msgspec.structs.replace(declaration.resource_type, gvk=gvk)
    setattr(made, DECLARATION, msgspec.structs.replace(declaration, resource_type=resource_type, short_names=()))
    return made


WorkerAccount = _in_this_group(workeraccount.WorkerAccount)
WorkerBundle = _in_this_group(workerbundle.WorkerBundle)
WorkerDeployment = _in_this_group(workerdeployment.WorkerDeployment)
WorkerRelease = _in_this_group(workerrelease.WorkerRelease)
