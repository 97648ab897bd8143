"""Puts the API together, and serves it as long as its manager runs."""

import msgspec

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Secret
from controllers.cfapi.catalogue import Catalogue
from controllers.cfapi.handler import CfApiHandler, RequestMetrics
from controllers.cfapi.options import CfApiOptions
from controllers.cfapi.pages import ProbePages
from controllers.cfapi.parts import Parts
from controllers.cfapi.releases import VERSION_INDEX, ReleaseArrivals, version_ids
from controllers.cfapi.rights import CF_API
from controllers.cfapi.router import Router
from controllers.cfapi.routes import routes_of
from controllers.cfapi.script_secrets import ScriptSecrets
from controllers.cfapi.storage_check import StorageCheck
from controllers.cfapi.tokens import TOKEN_SELECTOR, Tokens
from controllers.cfapi.upload import ScriptCheck, UploadParts, Uploads
from controllers.cfapi.writer import DeploymentWriter
from controllers.scriptstorage.objects import ScriptObjects
from framework.http.address import listen
from framework.http.options import HttpOptions
from framework.http.server import HttpServer
from framework.http.tls import ServerTls
from framework.informers import InformerOptions
from framework.manager import Manager

# So many uploads of the greatest size may be under way; more are told to come back.
_UPLOADS_AT_ONCE = 4
_MAX_WORKERS = 16
_MAX_CONNECTIONS = 256
_MAX_HEAD_BYTES = 64 * 1024
# How long the rest of a refused upload is thrown away, so that its client reads why.
_LINGER_SECONDS = 5.0


class CfApi(msgspec.Struct, frozen=True):
    """The server of a manager; `url` is known once that has started."""

    server: HttpServer

    @property
    def port(self) -> int:
        return self.server.port


def serve_cf_api(
    manager: Manager, options: CfApiOptions, objects: ScriptObjects, check: ScriptCheck | None = None
) -> CfApi:
    """Have *manager* serve the API while it runs."""
    handler = _handler(manager, options, objects, check)
    server = HttpServer(
        handler,
        listening=listen("API", options.listen),
        tls=_tls(options),
        clock=manager.clock,
        runtime=manager.runtime,
        options=_http_options(options),
        refusal_of=handler.refusal_of,
        check_head=handler.check_head,
    )
    manager.add_ready_check("s3", StorageCheck(objects, manager.clock, manager.runtime).problem)
    manager.at_start(server.start)
    manager.before_stop(server.stop)
    return CfApi(server)


def _handler(
    manager: Manager, options: CfApiOptions, objects: ScriptObjects, check: ScriptCheck | None
) -> CfApiHandler:
    here = (options.namespace,)
    # Hashes of tokens, not tokens: they are compared, which needs their values.
    tokens = manager.informer(Secret, InformerOptions(here, TOKEN_SELECTOR, keeps_secret_values=True))
    accounts = manager.informer(WorkerAccount, InformerOptions(here))
    client = manager.client.acting_as(f"windlass/{CF_API}")
    catalogue = Catalogue(client, options.namespace, accounts.lister)
    writer = DeploymentWriter(client, catalogue, retries=options.conflict_retries)
    secrets = ScriptSecrets(client, options.namespace)
    uploads = UploadParts(
        client=client, catalogue=catalogue, writer=writer, secrets=secrets, objects=objects, check=check
    )
    parts = Parts(
        client=client,
        catalogue=catalogue,
        writer=writer,
        secrets=secrets,
        uploads=Uploads(uploads, clock=manager.clock, max_parts=options.max_parts),
        objects=objects,
        arrivals=_arrivals(manager, here),
        clock=manager.clock,
        options=options,
    )
    pages = ProbePages(manager.health, manager.readiness, manager.registry)
    known = Tokens(tokens.lister, lambda: tokens.has_synced and accounts.has_synced)
    return CfApiHandler(Router(routes_of(parts)), known, catalogue, pages, RequestMetrics(manager.registry))


def _arrivals(manager: Manager, namespaces: tuple[str, ...]) -> ReleaseArrivals:
    releases = manager.informer(WorkerRelease, InformerOptions(namespaces))
    releases.add_index(VERSION_INDEX, version_ids)
    lister = releases.lister
    arrivals = ReleaseArrivals(
        lambda version_id: bool(lister.by_index(VERSION_INDEX, version_id)), manager.clock, manager.runtime
    )
    releases.add_handler(arrivals, name="cf-api-releases")
    # First: an upload that waits would hold up the stop.
    manager.before_stop(lambda _seconds: arrivals.stop())
    return arrivals


def _http_options(options: CfApiOptions) -> HttpOptions:
    return HttpOptions(
        max_head_bytes=_MAX_HEAD_BYTES,
        max_body_bytes=options.max_upload_bytes,
        max_bodies_bytes=_UPLOADS_AT_ONCE * options.max_upload_bytes,
        max_connections=_MAX_CONNECTIONS,
        max_workers=_MAX_WORKERS,
        linger_seconds=_LINGER_SECONDS,
    )


def _tls(options: CfApiOptions) -> ServerTls | None:
    if options.tls_certificate_file is None or options.tls_key_file is None:
        return None
    return ServerTls(options.tls_certificate_file, options.tls_key_file)
