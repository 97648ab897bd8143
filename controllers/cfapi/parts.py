"""What endpoints are made of."""

import msgspec

from controllers.cfapi.catalogue import Catalogue
from controllers.cfapi.options import CfApiOptions
from controllers.cfapi.releases import ReleaseArrivals
from controllers.cfapi.script_secrets import ScriptSecrets
from controllers.cfapi.upload import Uploads
from controllers.cfapi.writer import DeploymentWriter
from controllers.scriptstorage.objects import ScriptObjects
from framework.client import Client
from framework.clock import Clock


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    client: Client
    catalogue: Catalogue
    writer: DeploymentWriter
    secrets: ScriptSecrets
    uploads: Uploads
    objects: ScriptObjects
    arrivals: ReleaseArrivals
    clock: Clock
    options: CfApiOptions
