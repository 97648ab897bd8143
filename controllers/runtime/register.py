"""Puts the controller of Runtimes into a manager."""

from controllers.laf.catalogue import RUNTIMES
from controllers.laf.catalogue_entry import register_catalogue
from controllers.laf.settings import LafSettings
from framework.manager import Manager

NAME = "runtime"


def register_runtime(manager: Manager, settings: LafSettings) -> None:
    register_catalogue(manager, NAME, RUNTIMES, settings)
