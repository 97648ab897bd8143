"""What a WorkerBundle remembers of images that it had."""

from apis.cfworker.workerbundle import WorkerBundle
from controllers.workers.images import JOB_BUILDER_SOURCE
from controllers.workers.keys import APPLIED_SEQUENCE, IMAGE_SOURCE, LAST_IMAGE

_SEPARATOR = ","


def last_images(bundle: WorkerBundle) -> list[str]:
    """Those that are to be purged."""
    text = bundle.metadata.annotations.get(LAST_IMAGE, "")
    return [image for part in text.split(_SEPARATOR) if (image := part.strip())]


def joined(images: list[str]) -> str | None:
    """As the annotation holds them; None takes it off."""
    return _SEPARATOR.join(dict.fromkeys(images)) or None


def retired_image(bundle: WorkerBundle, successor: str) -> str | None:
    """The annotation with the bundle's image in it, if *successor* replaces it and a build made it.

    Images that nobody has purged yet stay in it.
    """
    image = bundle.spec.pod_template.image
    is_built = bundle.metadata.annotations.get(IMAGE_SOURCE, "").startswith(JOB_BUILDER_SOURCE)
    kept = [each for each in last_images(bundle) if each != successor]
    return joined([*kept, image] if image and image != successor and is_built else kept)


def applied_sequence(bundle: WorkerBundle) -> int:
    text = bundle.metadata.annotations.get(APPLIED_SEQUENCE, "")
    return int(text) if text.isascii() and text.isdigit() else 0
