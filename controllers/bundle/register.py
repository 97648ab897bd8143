"""Puts the controller of Bundles into a manager."""

from controllers.laf.catalogue import BUNDLES
from controllers.laf.catalogue_entry import register_catalogue
from controllers.laf.settings import LafSettings
from framework.manager import Manager

NAME = "bundle"


def register_bundle(manager: Manager, settings: LafSettings) -> None:
    register_catalogue(manager, NAME, BUNDLES, settings)
