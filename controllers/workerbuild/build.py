"""The third step: the context becomes an image in a registry."""

import tempfile
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

import msgspec

from controllers.ociregistry.documents import Platform
from controllers.ociregistry.errors import InvalidReference
from controllers.ociregistry.reference import ImageReference, parse_reference
from controllers.ociregistry.registry import ImageRegistry
from controllers.ociregistry.repository import RemoteRepository
from controllers.workerbuild.bad_input import BadInput
from controllers.workerbuild.base_image import BaseImage, LayerOfBase, resolve_base, scratch
from controllers.workerbuild.context import WORKER_FOLDER, read_context
from controllers.workerbuild.dockerfile import ENTRYPOINT, SCRATCH
from controllers.workerbuild.image import image_config, image_manifest
from controllers.workerbuild.layer import PROGRAM_LEVEL, Layer, LayerFile, folder_files, write_layer
from framework.errors import ConfigurationError


class BuildOptions(msgspec.Struct, frozen=True, kw_only=True):
    context: Path
    target: str
    base: str = SCRATCH
    platform: Platform = Platform(os="linux", architecture="amd64")
    # A binary that becomes a layer of its own, for a base that has none.
    workerd: Path | None = None
    default_registry: str


def build(options: BuildOptions, registry: ImageRegistry) -> str:
    """The digest of what was pushed."""
    target = _target(options)
    context = read_context(options.context)
    with ExitStack() as stack:
        repository = stack.enter_context(registry.repository(target.repository))
        base = _push_base(options, registry, repository, stack)
        layers = _layers(options, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="layers-"))))
        for layer in layers:
            repository.put_blob(layer.blob)
        config = image_config(base, layers, [worker.port for worker in context.workers])
        repository.put_blob(config)
        # Last: a tag never leads to an image that is not whole.
        return repository.put_manifest(target.tag, image_manifest(config.descriptor, base, layers))


def _target(options: BuildOptions) -> ImageReference:
    try:
        target = parse_reference(options.target, options.default_registry)
    except InvalidReference as error:
        raise BadInput("InvalidImage", str(error)) from None
    if target.digest:
        raise BadInput("InvalidImage", f"image {options.target!r} has a digest, which a push finds out by itself")
    return target


def _layers(options: BuildOptions, folder: Path) -> list[Layer]:
    layers = []
    if options.workerd is not None:
        if not options.workerd.is_file():
            raise ConfigurationError(f"-workerd-layer: {options.workerd} is not a file")
        program = LayerFile(PurePosixPath(ENTRYPOINT[0].lstrip("/")), options.workerd, is_program=True)
        layers.append(write_layer([program], folder / "workerd", PROGRAM_LEVEL))
    code = folder_files(options.context / WORKER_FOLDER, WORKER_FOLDER)
    return [*layers, write_layer(code, folder / "code")]


def _push_base(options: BuildOptions, registry: ImageRegistry, target: RemoteRepository, stack: ExitStack) -> BaseImage:
    """The base, with all of its layers in the repository of *target*."""
    if options.base == SCRATCH:
        return scratch(options.platform)
    try:
        reference = parse_reference(options.base, options.default_registry)
    except InvalidReference as error:
        raise ConfigurationError(f"-base: {error}") from None
    source = stack.enter_context(registry.repository(reference.repository))
    base = resolve_base(source, reference, options.platform)
    for layer in base.layers:
        if target.has_blob(layer.digest):
            continue
        is_near = source.name.registry == target.name.registry
        if not (is_near and target.mount_blob(layer.digest, source.name)):
            target.put_blob(LayerOfBase(source, layer))
    return base
