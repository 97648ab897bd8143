"""Why the storage did not do what it was asked for.

StorageError
├── StorageUnavailable   no answer, or one that says: later
├── StorageRefused       credentials, rights or the bucket: the same request has the same answer
└── ObjectTooLarge       an object has more bytes than who asked for it takes
"""

from framework.errors import WindlassError


class StorageError(WindlassError):
    """The text names the bucket, never a credential."""


class StorageUnavailable(StorageError):
    """The next try may be answered."""


class StorageRefused(StorageError):
    """Somebody has to change the settings, or the bucket."""


class ObjectTooLarge(StorageError):
    """Nothing of it was kept."""
