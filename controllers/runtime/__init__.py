"""Runtimes: how many Applications use each; one that is in use is not deleted."""

from controllers.runtime.register import register_runtime

__all__ = ["register_runtime"]
