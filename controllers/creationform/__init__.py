"""CreationForms: each makes one namespace with one Application, and goes after a while."""

from controllers.creationform.register import register_creationform

__all__ = ["register_creationform"]
