"""Why a registry did not do what it was asked for.

RegistryError
├── InvalidReference      the text names no image
├── RegistryUnavailable   no answer, or one that says: later
├── RegistryRefused       credentials or rights, or an answer that makes no sense
│   └── DeleteDisabled    the registry does not delete, or not for us
└── ImageNotFound         the image that others are to be built upon is not there
"""

from framework.errors import WindlassError


class RegistryError(WindlassError):
    """The text names the registry and the repository, never a credential."""


class InvalidReference(RegistryError):
    pass


class RegistryUnavailable(RegistryError):
    """The next try may be answered."""


class RegistryRefused(RegistryError):
    """The same request has the same answer until somebody changes something."""


class DeleteDisabled(RegistryRefused):
    pass


class ImageNotFound(RegistryError):
    pass
