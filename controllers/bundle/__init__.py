"""Bundles: how many Applications use each; one that is in use is not deleted."""

from controllers.bundle.register import register_bundle

__all__ = ["register_bundle"]
