"""Plugins are found by name, and what is wrong with one is told together with the cure."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controllers.peerpod.provider import ENTRY_POINT_GROUP, CloudProvider, Permanent
from controllers.peerpod.registry import InstalledProviders

_METADATA = "Metadata-Version: 2.1\nName: {0}\nVersion: 1.0\n"
_PLUGIN = """
class Plugin:
    name, extra = "nimbus", ""
    settings_keys = secret_keys = location_keys = ()
    def __init__(self, settings): pass
    def validate_instance_id(self, instance_id): pass
    def delete(self, instance_id, hints, timeout_seconds): pass
    def close(self): pass
"""


class Folder:
    """Of installed distributions."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def install(self, distribution: str, name: str, code: str) -> None:
        module = f"plugin_of_{distribution}"
        info = self._path / f"{distribution}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(_METADATA.format(distribution))
        (info / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\n{name} = {module}:Plugin\n")
        (self._path / f"{module}.py").write_text(code)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Folder(tmp_path)
    for name in [name for name in sys.modules if name.startswith("plugin_of_")]:
        del sys.modules[name]


def refusal(name: str) -> tuple[str, str]:
    with pytest.raises(Permanent) as raised:
        InstalledProviders().load(name)
    return raised.value.reason, str(raised.value)


def test_the_providers_of_this_distribution_are_known() -> None:
    assert {"aws", "azure", "gcp", "ibmcloud", "libvirt", "vsphere"} <= InstalledProviders().names
    loaded = InstalledProviders().load("aws")
    assert (loaded.name, loaded.extra) == ("aws", "aws")


def test_a_plugin_of_another_distribution_is_used_for_its_name(folder: Folder) -> None:
    folder.install("thirdparty", "nimbus", _PLUGIN)

    loaded = InstalledProviders().load("nimbus")

    assert isinstance(loaded({}), CloudProvider)


@pytest.mark.parametrize("name", ["nimbus", "AWS", "", "alibabacloud"])
def test_a_name_that_nobody_offers_is_unknown(name: str) -> None:
    reason, message = refusal(name)

    assert (reason, repr(name) in message, "aws" in message) == ("ProviderUnknown", True, True)


def test_two_distributions_with_one_name_are_both_refused(folder: Folder) -> None:
    folder.install("first", "nimbus", _PLUGIN)
    folder.install("second", "nimbus", _PLUGIN)

    reason, message = refusal("nimbus")

    assert (reason, "first and second" in message) == ("ProviderUnavailable", True)


def test_a_plugin_that_cannot_be_imported_is_told_with_the_error(folder: Folder) -> None:
    folder.install("broken", "nimbus", "import sdk_that_is_not_there")

    reason, message = refusal("nimbus")

    assert (reason, "sdk_that_is_not_there" in message) == ("ProviderUnavailable", True)


def test_a_missing_sdk_is_told_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "botocore"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "controllers.peerpod.providers.aws", raising=False)
    # What stands for a module that is not installed.
    monkeypatch.setitem(sys.modules, "botocore", None)

    reason, message = refusal("aws")

    assert (reason, "pip install windlass[aws]" in message) == ("ProviderUnavailable", True)
