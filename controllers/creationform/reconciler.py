"""From a form to a namespace with an Application in it; each step is recorded before the next."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from apis.core.v1 import Namespace
from apis.laf.application import Application, ApplicationSpec
from apis.laf.bundle import Bundle
from apis.laf.creationform import CreationForm, CreationFormSpec
from apis.laf.runtime import Runtime
from apis.meta import Key, ObjectMeta, Request
from controllers.laf.catalogue import BUNDLES, RUNTIMES, adoption_refusal
from controllers.laf.labels import APPID_LABEL
from controllers.laf.settings import LafSettings
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.clock import Clock
from framework.conditions import find_condition
from framework.errors import AlreadyExists, NotFound, WindlassError
from framework.finalizers import Finalizer
from framework.listers import Lister
from framework.reconcile import Result

FINALIZER = "creationform.finalizers.laf.dev"
TYPE_LABEL, FORM_UID, DISPLAY_NAME = "laf.dev/namespace.type", "laf.dev/form-uid", "laf.dev/name"
APPLICATION_NAME = "app"
APPID_INDEX = "appid"


class CreationForms:
    def __init__(
        self,
        *,
        forms: Lister[CreationForm],
        bundles: Lister[Bundle],
        runtimes: Lister[Runtime],
        applications: Lister[Application],
        client: Client,
        status: StatusWriter[CreationForm],
        settings: LafSettings,
        clock: Clock,
        appids: Callable[[], Iterator[str]],
    ) -> None:
        self._forms = forms
        self._bundles = bundles
        self._runtimes = runtimes
        self._applications = applications
        self._client = client
        self._status = status
        self._settings = settings
        self._clock = clock
        self._appids = appids
        self._finalizer = Finalizer(client, CreationForm, FINALIZER)
        # Uid of each fulfilled form, and when it was first seen, on the monotonic clock: the other one may be set back.
        self._fulfilled: dict[Key, tuple[str, float]] = {}

    def reconcile(self, request: Request) -> Result:
        form = self._forms.get(request.key)
        if form is None:
            self._fulfilled.pop(request.key, None)
            return Result.await_change()
        if form.metadata.is_being_deleted:
            # What was made stays: it belongs to its user by now.
            self._finalizer.finish(form)
            return Result.await_change()
        spec = form.spec
        if spec is None:
            return Result.await_change()
        form = self._finalizer.ensure(form)
        return self._retire(form) if form.status.created else self._fulfil(form, spec)

    def _fulfil(self, form: CreationForm, spec: CreationFormSpec) -> Result:
        form, is_valid = self._validate(form, spec)
        if not is_valid:
            return Result.await_change()
        # Recorded before anything is made: whoever goes on after a crash finds what was begun.
        if not form.status.appid or not self._make_namespace(form):
            form = self._choose(form)
            if not self._make_namespace(form):
                raise WindlassError(
                    f"namespace {form.status.namespace} was taken while it was chosen; another is tried"
                )
        self._make_application(form, spec)
        self._status.write(form, Observation("Created", "True", "Created"), created=True)
        return Result.after(self._settings.form_ttl_seconds)

    def _validate(self, form: CreationForm, spec: CreationFormSpec) -> tuple[CreationForm, bool]:
        system = self._settings.system_namespace
        bundle, runtime = Key(system, spec.bundle_name), Key(system, spec.runtime_name)
        refusals = {
            "ValidBundle": adoption_refusal(BUNDLES, self._bundles.get(bundle), bundle),
            "ValidRuntime": adoption_refusal(RUNTIMES, self._runtimes.get(runtime), runtime),
        }
        seen = [_validity(condition, refusal) for condition, refusal in refusals.items()]
        first = next((refusal for refusal in refusals.values() if refusal is not None), None)
        pending = Observation("Created", "False", "Pending")
        written = self._status.write(form, *seen, _validity("Validated", first), pending)
        return written, first is None

    def _choose(self, form: CreationForm) -> CreationForm:
        for appid in self._appids():
            namespace = f"{self._settings.app_namespace_prefix}{appid}"
            if not self._applications.by_index(APPID_INDEX, appid) and self._is_free(namespace):
                return self._status.write(form, appid=appid, namespace=namespace)
        raise WindlassError("every appid is taken")

    def _is_free(self, namespace: str) -> bool:
        try:
            self._client.get(Namespace, Key("", namespace))
        except NotFound:
            return True
        return False

    def _make_namespace(self, form: CreationForm) -> bool:
        """Whether the recorded namespace is there, and this form's; else another must be chosen."""
        labels = {APPID_LABEL: form.status.appid, TYPE_LABEL: "app"}
        annotations = {FORM_UID: form.metadata.uid}
        metadata = ObjectMeta(name=form.status.namespace, labels=labels, annotations=annotations)
        try:
            self._client.create(Namespace(metadata=metadata))
        except AlreadyExists:
            found = self._client.get(Namespace, Key("", form.status.namespace)).metadata
            return found.annotations.get(FORM_UID) == form.metadata.uid and not found.is_being_deleted
        return True

    def _make_application(self, form: CreationForm, spec: CreationFormSpec) -> None:
        appid, key = form.status.appid, Key(form.status.namespace, APPLICATION_NAME)
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels={APPID_LABEL: appid},
            annotations={DISPLAY_NAME: spec.display_name},
        )
        wanted = ApplicationSpec(
            appid=appid, region=spec.region, bundle_name=spec.bundle_name, runtime_name=spec.runtime_name
        )
        try:
            self._client.create(Application(metadata=metadata, spec=wanted))
        except AlreadyExists:
            found = self._client.get(Application, key).spec
            if found is None or found.appid != appid:
                raise WindlassError(f"Application {key} exists and is not that of this form; delete it") from None

    def _retire(self, form: CreationForm) -> Result:
        created = find_condition(form.status.conditions, "Created")
        age = 0.0 if created is None else (self._clock.now() - created.last_transition_time).total_seconds()
        left = self._settings.form_ttl_seconds - max(age, self._seconds_seen(form))
        if left > 0:
            return Result.after(left)
        with suppress(NotFound):
            self._client.delete(CreationForm, form.key, uid=form.metadata.uid)
        return Result.await_change()

    def _seconds_seen(self, form: CreationForm) -> float:
        now, uid = self._clock.monotonic(), form.metadata.uid
        if self._fulfilled.get(form.key, ("", 0.0))[0] != uid:
            self._fulfilled[form.key] = (uid, now)
        return now - self._fulfilled[form.key][1]


def _validity(condition: str, refusal: tuple[str, str] | None) -> Observation:
    if refusal is None:
        return Observation(condition, "True", "Valid")
    reason, message = refusal
    return Observation(condition, "False", reason, message)
