"""The bucket of this process."""

from controllers.scriptstorage.objects import ScriptObjects
from controllers.scriptstorage.settings import StorageSettings
from framework.errors import ConfigurationError
from framework.loading import LOADING


def connect_storage(settings: StorageSettings) -> ScriptObjects:
    """Raise ConfigurationError or StorageRefused if it cannot be asked at all; nothing is sent yet."""
    # The SDK is an extra of the program, and takes a while to load.
    with LOADING:
        try:
            from controllers.scriptstorage.s3 import S3Objects
        except ModuleNotFoundError as error:
            raise ConfigurationError(f"{error.name} is not installed; install windlass[aws] to use S3") from None

    return S3Objects(settings)
