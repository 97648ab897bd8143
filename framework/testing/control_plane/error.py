"""The one error of the control plane."""

from framework.errors import WindlassError


class ControlPlaneError(WindlassError):
    """The control plane cannot do what was asked; where a process is to blame, the tail of its log follows."""
