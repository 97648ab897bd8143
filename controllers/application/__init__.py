"""Applications: each becomes an Instance while it should run, with what it needs beside it."""

from controllers.application.register import register_application

__all__ = ["register_application"]
