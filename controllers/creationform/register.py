"""Puts the controller of CreationForms into a manager."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from apis.core.v1 import Namespace
from apis.events.v1 import Event
from apis.laf.application import Application
from apis.laf.bundle import Bundle
from apis.laf.creationform import CreationForm
from apis.laf.runtime import Runtime
from apis.meta import KubeObject, Request, resource_type_of
from controllers.creationform.appid import random_appids
from controllers.creationform.reconciler import APPID_INDEX, CreationForms
from controllers.laf.settings import LafSettings
from controllers.reporting.status_writer import StatusWriter
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.manager import Manager
from framework.rights import Right

NAME = "creationform"
_BUNDLE_INDEX, _RUNTIME_INDEX = "bundle", "runtime"
_PROBLEMS = frozenset({"NotFound", "Terminating", "Unavailable", "Deprecated"})
_FORMS, _APPLICATIONS = resource_type_of(CreationForm), resource_type_of(Application)
_RIGHTS = (
    *(Right(verb, _FORMS) for verb in ("patch", "delete")),
    Right("patch", _FORMS, "status"),
    # Whose appids are taken; no form is concerned by a change of them, so they are no source.
    *(Right(verb, _APPLICATIONS) for verb in ("list", "watch", "create", "get")),
    *(Right(verb, resource_type_of(Namespace), place="all") for verb in ("create", "get")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_creationform(
    manager: Manager, settings: LafSettings, *, appids: Callable[[], Iterator[str]] | None = None
) -> None:
    """*appids* are tried in their order, from the first one on for each form; random ones if there are none."""
    forms, applications = manager.informer(CreationForm), manager.informer(Application)
    bundles, runtimes = manager.informer(Bundle), manager.informer(Runtime)
    client = manager.client_for(NAME)
    applications.add_index(APPID_INDEX, lambda application: [application.spec.appid] if application.spec else [])
    forms.add_index(_BUNDLE_INDEX, _unfinished(lambda form: form.spec.bundle_name if form.spec else ""))
    forms.add_index(_RUNTIME_INDEX, _unfinished(lambda form: form.spec.runtime_name if form.spec else ""))
    reconciler = CreationForms(
        forms=forms.lister,
        bundles=bundles.lister,
        runtimes=runtimes.lister,
        applications=applications.lister,
        client=client,
        status=StatusWriter(client, manager.recorder_for(NAME), manager.clock, problems=_PROBLEMS, action="Validate"),
        settings=settings,
        clock=manager.clock,
        appids=appids or partial(random_appids, manager.random, settings.appid_length),
    )

    def waiting_for(index: str) -> Callable[[KubeObject], Iterable[Request]]:
        def requests(entry: KubeObject) -> Iterable[Request]:
            if entry.metadata.namespace != settings.system_namespace:
                return ()
            return [Request(form.key) for form in forms.lister.by_index(index, entry.metadata.name)]

        return requests

    sources: list[Source] = [
        Primary(forms, resync_seconds=settings.resync_seconds),
        Mapped(bundles, waiting_for(_BUNDLE_INDEX)),
        Mapped(runtimes, waiting_for(_RUNTIME_INDEX)),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    manager.add_controller(NAME, reconciler, sources, options)


def _unfinished(name_of: Callable[[CreationForm], str]) -> Callable[[CreationForm], Iterable[str]]:
    def index(form: CreationForm) -> Iterable[str]:
        name = name_of(form)
        return [name] if name and not form.status.created else []

    return index
