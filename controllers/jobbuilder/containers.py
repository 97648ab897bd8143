"""The containers of a build: who fetches, who tries and who pushes, and what each of them may see."""

from typing import Any

import msgspec

from apis.cfworker.builder import BuilderType
from apis.cfworker.jobbuilder import JobBuilder
from controllers.workers.plan import PLAN_FILE
from controllers.workers.settings import WorkersSettings
from framework.errors import TerminalError

WORKERD = "/usr/local/bin/workerd"
_SECURE = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
_RESOURCES = {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"cpu": "1", "memory": "512Mi"}}
_BUILDKIT_IMAGE = "moby/buildkit:rootless"
_DEFAULT_PLATFORM = "linux/amd64"


def _mount(name: str, path: str, *, is_writable: bool = False) -> dict[str, Any]:
    return {"name": name, "mountPath": path, **({} if is_writable else {"readOnly": True})}


_TMP = _mount("tmp", "/tmp", is_writable=True)  # noqa: S108 - a volume of its own


class BuildContainers:
    def __init__(self, job_builder: JobBuilder, settings: WorkersSettings) -> None:
        self._spec = job_builder.spec
        self._builder = job_builder.spec.builder
        self._settings = settings
        self._base = self._builder.base_image or settings.base_image
        self._type = self._builder.type or settings.builder

    def init(self) -> list[dict[str, Any]]:
        return [self._fetch(), self._check()]

    def main(self) -> dict[str, Any]:
        match self._type:
            case BuilderType.OCI:
                return self._push()
            case BuilderType.KANIKO:
                return self._kaniko()
            case BuilderType.BUILDKIT:
                return self._buildkit()

    @property
    def credentials_folder(self) -> str:
        return "/kaniko/.docker" if self._type is BuilderType.KANIKO else "/registry"

    def _own(self, name: str, args: list[str], mounts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        return {
            "name": name,
            "image": self._settings.builder_image,
            "args": args,
            "volumeMounts": [*mounts, _TMP],
            "securityContext": _SECURE,
            "resources": self._resources(),
            **more,
        }

    def _fetch(self) -> dict[str, Any]:
        args = ["-mode=worker-fetch", f"-plan=/plan/{PLAN_FILE}", "-destination=/context", f"-base={self._base}"]
        if self._settings.allowed_buckets:
            args.append(f"-allowed-buckets={','.join(self._settings.allowed_buckets)}")
        mounts = [_mount("s3-config", "/aws"), _mount("context", "/context", is_writable=True), _mount("plan", "/plan")]
        return self._own("download-files", args, mounts, env=self._storage_variables())

    def _check(self) -> dict[str, Any]:
        """The code of tenants runs here, where no credential is mounted."""
        args = ["-mode=worker-check", "-context=/context", f"-workerd={WORKERD}"]
        return self._own("check-scripts", args, [_mount("context", "/context")])

    def _push(self) -> dict[str, Any]:
        settings = self._settings
        args = [
            "-mode=worker-build",
            "-context=/context",
            f"-target={self._spec.target_image}",
            f"-base={self._base}",
            f"-platform={self._builder.platform or _DEFAULT_PLATFORM}",
            f"-docker-config={self.credentials_folder}/config.json",
            f"-default-registry={settings.default_registry}",
        ]
        if settings.insecure_registries:
            args.append(f"-insecure-registry={','.join(settings.insecure_registries)}")
        if settings.workerd_layer:
            args.append(f"-workerd-layer={settings.workerd_layer}")
        # An image of its own, for who wants another version of the program.
        image = self._builder.image or settings.builder_image
        return {**self._own("build", args, self._pushing_mounts()), "image": image}

    def _kaniko(self) -> dict[str, Any]:
        if not self._builder.image:
            raise TerminalError("builder.type kaniko needs builder.image: there is no image that is kept up to date")
        args = [
            "--dockerfile=Dockerfile",
            "--context=/context",
            f"--destination={self._spec.target_image}",
            "--digest-file=/dev/termination-log",
        ]
        return {
            "name": "kaniko",
            "image": self._builder.image,
            "args": args,
            "volumeMounts": self._pushing_mounts(),
            "resources": self._resources(),
        }

    def _buildkit(self) -> dict[str, Any]:
        args = [
            "build",
            "--frontend=dockerfile.v0",
            "--local=context=/context",
            "--local=dockerfile=/context",
            f"--output=type=image,name={self._spec.target_image},push=true",
            "--metadata-file=/tmp/metadata.json",
        ]
        return {
            "name": "buildkit",
            "image": self._builder.image or _BUILDKIT_IMAGE,
            "command": ["buildctl-daemonless.sh"],
            "args": args,
            "env": [
                {"name": "DOCKER_CONFIG", "value": self.credentials_folder},
                {"name": "BUILDKITD_FLAGS", "value": "--oci-worker-no-process-sandbox"},
            ],
            "volumeMounts": [*self._pushing_mounts(), _TMP],
            "securityContext": {
                "seccompProfile": {"type": "Unconfined"},
                "appArmorProfile": {"type": "Unconfined"},
                "runAsUser": 1000,
                "runAsGroup": 1000,
            },
            "resources": self._resources(),
        }

    def _pushing_mounts(self) -> list[dict[str, Any]]:
        return [_mount("registry-credentials", self.credentials_folder), _mount("context", "/context")]

    def _storage_variables(self) -> list[dict[str, Any]]:
        s3, settings = self._spec.s3, self._settings
        variables = {
            "AWS_PROFILE": "default",
            "AWS_ENDPOINT": s3.endpoint or settings.s3_endpoint,
            "AWS_BUCKET": s3.bucket or settings.s3_bucket,
            "AWS_REGION": s3.region or settings.s3_region,
            "AWS_SHARED_CREDENTIALS_FILE": "/aws/credentials",
            "AWS_CONFIG_FILE": "/aws/config",
        }
        return [{"name": name, "value": value} for name, value in variables.items() if value]

    def _resources(self) -> dict[str, Any]:
        given = self._builder.resources
        return msgspec.to_builtins(given) if given is not None else _RESOURCES
