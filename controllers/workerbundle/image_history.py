"""Which images in the registry are a bundle's own."""

from collections.abc import Sequence

import msgspec

from apis.cfworker.workerbundle import BundleImage, WorkerBundle
from controllers.workerbundle.deployment import is_built_by_us
from controllers.workers.bundle_patch import last_images
from controllers.workers.images import JOB_BUILDER_SOURCE, parsed
from controllers.workers.keys import IMAGE_SOURCE


class ImageHistory(msgspec.Struct, frozen=True):
    """The newest first; *current* is the image that the bundle names, if a build made it."""

    current: str
    images: tuple[BundleImage, ...]

    def kept(self, limit: int) -> list[BundleImage]:
        return [*(each for each in self.images if each.image == self.current), *self._earlier()[:limit]]

    def doomed(self, limit: int) -> list[BundleImage]:
        return self._earlier()[limit:]

    def _earlier(self) -> list[BundleImage]:
        return [each for each in self.images if each.image != self.current]


def history_of(bundle: WorkerBundle, default_registry: str) -> ImageHistory:
    """What was recorded, and the image that the bundle names now in front of it."""
    known = [each for each in bundle.status.image_history if each.image]
    image = bundle.spec.pod_template.image
    if not image or not is_built_by_us(bundle):
        return ImageHistory("", tuple(known))
    source = bundle.metadata.annotations[IMAGE_SOURCE].removeprefix(JOB_BUILDER_SOURCE)
    reference = parsed(image, default_registry)
    current = BundleImage(image=image, digest=reference.digest if reference else "", job_builder=source)
    return ImageHistory(image, (current, *(each for each in known if each.image != image)))


def digests_of(bundle: WorkerBundle) -> list[str]:
    """Of all images that it has, or has not purged yet; an index function."""
    history = (each.image for each in bundle.status.image_history)
    images = (bundle.spec.pod_template.image, bundle.status.image, *history)
    return sorted({image.partition("@")[2] for image in images} - {""})


def retired(bundle: WorkerBundle, history: ImageHistory) -> list[BundleImage]:
    """Images that the annotation names, and the history does not."""
    known = {each.image for each in history.images}
    return [BundleImage(image=image) for image in last_images(bundle) if image not in known]


def without(images: Sequence[BundleImage], gone: Sequence[BundleImage]) -> list[BundleImage]:
    names = {each.image for each in gone}
    return [each for each in images if each.image not in names]
