"""The clouds that speak HTTP, each as its own API answers."""

import json
from functools import cache
from typing import Any

import jwt
import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from controllers.peerpod.provider import CloudProvider
from controllers.peerpod.providers.azure import AzureProvider
from controllers.peerpod.providers.gcp import GcpProvider
from controllers.peerpod.providers.ibmcloud import IbmCloudProvider
from framework.clock import SystemClock
from tests.component.peerpod.providers.fake_cloud import Answer, FakeCloud

POD_VM = "podvm-web-0123abcd"
FOREIGN_VM = "prod-db"
SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
TENANT = "66666666-7777-8888-9999-000000000000"


class Stage(msgspec.Struct):
    cloud: FakeCloud
    provider_class: type[CloudProvider]
    settings: dict[str, str]
    # Every text that must be nowhere, beside the values of the secret settings.
    secrets: list[str]
    instance_id: str
    foreign_id: str
    # Of the VM itself; read with GET, deleted with DELETE.
    path: str
    foreign_path: str
    # What the cloud says of a VM whose deletion has begun.
    deleting: str
    # What the cloud answers to a deletion that it takes over.
    accepted: Answer
    # Settings without which nothing can be deleted.
    needed: list[str]
    bad_ids: list[str]
    # Where credentials are exchanged for a token, if they are.
    token_path: str = ""

    def vm(self, name: str = POD_VM, state: str = "") -> Answer:
        raise NotImplementedError

    def error(self, status: int, code: str = "Error", **headers: str) -> Answer:
        """An error of the kind this cloud gives, which repeats the credentials of the request."""
        raise NotImplementedError

    def provider(self, **changes: str) -> CloudProvider:
        return self.provider_class({**self.settings, **changes})

    def all_secrets(self) -> list[str]:
        return [*self.secrets, *(self.settings[key] for key in self.provider_class.secret_keys if key in self.settings)]


class AzureStage(Stage):
    def vm(self, name: str = POD_VM, state: str = "") -> Answer:
        properties = {"vmId": SUBSCRIPTION, "provisioningState": state or "Succeeded"}
        machine = {"id": self.instance_id, "name": name, "type": "Microsoft.Compute/virtualMachines"}
        return Answer(200, {**machine, "location": "westeurope", "properties": properties})

    def error(self, status: int, code: str = "Error", **headers: str) -> Answer:
        message = f"refused for {' '.join(self.all_secrets())}"
        return Answer(status, {"error": {"code": code, "message": message}}, headers)


class GcpStage(Stage):
    def vm(self, name: str = POD_VM, state: str = "") -> Answer:
        return Answer(200, {"kind": "compute#instance", "id": "42", "name": name, "status": state or "RUNNING"})

    def error(self, status: int, code: str = "Error", **headers: str) -> Answer:
        message = f"refused for {' '.join(self.all_secrets())}"
        errors = [{"domain": "global", "reason": code, "message": message}]
        return Answer(status, {"error": {"code": status, "message": message, "errors": errors}}, headers)


class IbmStage(Stage):
    def vm(self, name: str = POD_VM, state: str = "") -> Answer:
        return Answer(200, {"id": self.instance_id, "name": name, "status": state or "running"})

    def error(self, status: int, code: str = "Error", **headers: str) -> Answer:
        message = f"refused for {' '.join(self.all_secrets())}"
        return Answer(status, {"errors": [{"code": code, "message": message}], "trace": "t"}, headers)


def azure_stage(cloud: FakeCloud) -> Stage:
    token = f"/{TENANT}/oauth2/v2.0/token"
    issuer = f"{cloud.url}/{TENANT}"
    cloud.answer(
        "GET",
        f"/{TENANT}/v2.0/.well-known/openid-configuration",
        Answer(
            200,
            {
                "issuer": f"{issuer}/v2.0",
                "authorization_endpoint": f"{issuer}/oauth2/v2.0/authorize",
                "token_endpoint": f"{issuer}/oauth2/v2.0/token",
            },
        ),
    )
    issued = {"token_type": "Bearer", "expires_in": 3600, "access_token": "azure-access-token"}
    cloud.answer("POST", token, Answer(200, issued))
    group = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/Pods/providers/Microsoft.Compute/virtualMachines"
    return AzureStage(
        cloud=cloud,
        provider_class=AzureProvider,
        settings={
            "AZURE_CLIENT_ID": "client",
            "AZURE_CLIENT_SECRET": "azure-client-secret",
            "AZURE_TENANT_ID": TENANT,
            "AZURE_SUBSCRIPTION_ID": "99999999-0000-0000-0000-000000000000",
            "AZURE_RESOURCE_GROUP": "elsewhere",
            "AZURE_ARM_ENDPOINT": cloud.url,
            "AZURE_AUTHORITY_HOST": cloud.url,
        },
        secrets=[],
        instance_id=f"{group}/{POD_VM}",
        foreign_id=f"{group}/{FOREIGN_VM}",
        path=f"{group}/{POD_VM}",
        foreign_path=f"{group}/{FOREIGN_VM}",
        deleting="Deleting",
        accepted=Answer(202, None, {"Location": f"{cloud.url}/operation", "Retry-After": "10"}),
        needed=["AZURE_CLIENT_ID", "AZURE_TENANT_ID"],
        bad_ids=[POD_VM, f"{group}/{POD_VM}/extensions/x", f"{group}/", f"{group}/a?b", f"x{group}/{POD_VM}"],
        token_path=token,
    )


@cache
def _private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def gcp_stage(cloud: FakeCloud) -> Stage:
    key = _private_key()
    account = {
        "type": "service_account",
        "project_id": "elsewhere",
        "private_key_id": "0123456789abcdef0123",
        "private_key": key,
        "client_email": "windlass@elsewhere.iam.gserviceaccount.com",
        "client_id": "1",
        "token_uri": f"{cloud.url}/token",
    }
    zone = "/compute/v1/projects/pods/zones/europe-west1-b"
    cloud.answer("GET", f"{zone}/operations/operation-1", Answer(200, {"name": "operation-1", "status": "RUNNING"}))
    return GcpStage(
        cloud=cloud,
        provider_class=GcpProvider,
        settings={
            "GCP_CREDENTIALS": json.dumps(account),
            "GCP_PROJECT_ID": "pods",
            "GCP_ZONE": "europe-west1-b",
            "GCP_ENDPOINT": cloud.url,
        },
        secrets=[key, key.splitlines()[3], "0123456789abcdef0123"],
        instance_id=POD_VM,
        foreign_id=FOREIGN_VM,
        path=f"{zone}/instances/{POD_VM}",
        foreign_path=f"{zone}/instances/{FOREIGN_VM}",
        deleting="STOPPING",
        accepted=Answer(200, {"name": "operation-1", "status": "PENDING"}),
        needed=["GCP_PROJECT_ID", "GCP_ZONE"],
        bad_ids=["", "Podvm", "a/b", "a" * 64, "podvm-", "podvm-x\n"],
    )


def ibm_stage(cloud: FakeCloud) -> Stage:
    now = int(SystemClock().now().timestamp())
    token = jwt.encode({"iat": now, "exp": now + 3600}, "of the server alone, and long enough for it")
    answer = {"access_token": token, "token_type": "Bearer", "expires_in": 3600, "expiration": now + 3600}
    cloud.answer("POST", "/identity/token", Answer(200, answer))
    instance_id = "0717_1e09281b-f177-46fb-baf1-bc152b2e391a"
    foreign_id = "0717_00000000-f177-46fb-baf1-bc152b2e391a"
    return IbmStage(
        cloud=cloud,
        provider_class=IbmCloudProvider,
        settings={
            "IBMCLOUD_API_KEY": "ibm-api-key",
            "IBMCLOUD_IAM_ENDPOINT": f"{cloud.url}/identity/token",
            "IBMCLOUD_VPC_ENDPOINT": f"{cloud.url}/v1",
        },
        secrets=[],
        instance_id=instance_id,
        foreign_id=foreign_id,
        path=f"/v1/instances/{instance_id}",
        foreign_path=f"/v1/instances/{foreign_id}",
        deleting="deleting",
        accepted=Answer(204),
        needed=["IBMCLOUD_API_KEY", "IBMCLOUD_VPC_ENDPOINT"],
        bad_ids=["", "../x", "A", "0717_x/../y", "x" * 65, "0717_x\n"],
        token_path="/identity/token",
    )


STAGES: dict[str, Any] = {"azure": azure_stage, "gcp": gcp_stage, "ibmcloud": ibm_stage}
