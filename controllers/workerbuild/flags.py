"""The flags of the steps of a build, and those that they share with the controllers and the HTTP API of workers."""

from pathlib import Path

from controllers.ociregistry.documents import Platform
from controllers.ociregistry.reference import DOCKER_HUB
from controllers.options import Flag, duration_of_at_least, list_of_names
from controllers.workerbuild.dockerfile import SCRATCH

FETCH, CHECK, BUILD = "worker-fetch", "worker-check", "worker-build"
WORKER_BUILD_MODES = {
    FETCH: "fetches the code of a build plan, inside of a build Job",
    CHECK: "tries the code with workerd, inside of a build Job",
    BUILD: "pushes the code as an image, inside of a build Job",
}
_STEPS = (FETCH, CHECK, BUILD)
_STORING = ("manager", "cf-api", FETCH)
_REGISTRY = ("manager", BUILD)
_TERMINATION_LOG = "/dev/termination-log"
_PARTS_OF_A_PLATFORM = (2, 3)


def optional_path(text: str) -> Path | None:
    return Path(text) if text else None


def platform(text: str) -> Platform:
    parts = text.split("/")
    if len(parts) not in _PARTS_OF_A_PLATFORM or not all(parts):
        raise ValueError("is not OS/ARCHITECTURE, such as linux/amd64")
    return Platform(os=parts[0], architecture=parts[1], variant="".join(parts[2:]))


WORKER_BUILD_FLAGS = (
    Flag("plan", "the file with the build plan", "", optional_path, (FETCH,)),
    Flag("destination", "the folder that becomes the build context", "", optional_path, (FETCH,)),
    Flag("context", "the folder with the build context", "", optional_path, (CHECK, BUILD)),
    Flag("workerd", "the program workerd; with cf-api: tries uploads with it", "", optional_path, (CHECK, "cf-api")),
    Flag(
        "preflight-timeout",
        "how long workerd may take to start",
        "10s",
        duration_of_at_least(0.001),
        (CHECK, "cf-api"),
    ),
    Flag("target", "the image to push", modes=(BUILD,)),
    Flag("base", "the image to build upon; scratch: none", SCRATCH, modes=(FETCH, BUILD)),
    Flag("platform", "which one of a base for several platforms", "linux/amd64", platform, (BUILD,)),
    Flag("workerd-layer", "a workerd to put into the image; empty: the base has one", "", optional_path, (BUILD,)),
    Flag("docker-config", "Docker's config.json with the logins of registries", "", optional_path, (BUILD,)),
    Flag("default-registry", "of images that name none", DOCKER_HUB, modes=_REGISTRY),
    Flag("insecure-registry", "asked by plain HTTP, with commas between; loopback is", "", list_of_names, _REGISTRY),
    Flag("s3-endpoint", "URL of the S3 that holds scripts; empty: AWS", "", str, _STORING, "AWS_ENDPOINT"),
    Flag("s3-region", "region of that S3", "", str, _STORING, "AWS_REGION"),
    Flag("s3-bucket", "the bucket with the scripts", "", str, _STORING, "AWS_BUCKET"),
    Flag(
        "allowed-buckets",
        "others that scripts may be read from, with commas between",
        "",
        list_of_names,
        ("manager", FETCH),
    ),
    Flag(
        "termination-log",
        "where the end is told to the controller, if it is there",
        _TERMINATION_LOG,
        optional_path,
        _STEPS,
    ),
)
