"""Images by what they are called: where they are, and which one of them."""

from controllers.ociregistry.errors import InvalidReference
from controllers.ociregistry.reference import ImageReference, parse_reference

JOB_BUILDER_SOURCE = "jobbuilder/"


def with_digest(image: str, digest: str) -> str:
    return f"{image.partition('@')[0]}@{digest}"


def parsed(image: str, default_registry: str) -> ImageReference | None:
    """None if it is none, such as one with upper case in its repository."""
    try:
        return parse_reference(image, default_registry)
    except InvalidReference:
        return None
