import msgspec
import pytest

from controllers.scriptstorage.modulename import InvalidModuleName, check_module_names
from controllers.scriptstorage.script import (
    MANIFEST_NAME,
    BrokenScript,
    ModuleType,
    ScriptManifest,
    ScriptModule,
    StoredBinding,
    put_script,
    read_script,
)
from controllers.scriptstorage.settings import StorageSettings
from framework.errors import ConfigurationError
from tests.unit.controllers.workerbuild.memory_objects import BUCKET, MemoryObjects

MODULES = (
    ScriptModule("index.js", ModuleType.ES_MODULE, b"export default {}"),
    ScriptModule("../../hostile", ModuleType.DATA, b"\x00"),
)
MANIFEST = ScriptManifest(
    v=1,
    main_module="index.js",
    compatibility_date="2024-01-01",
    bindings=[StoredBinding(name="LIMITS", type="json", json={"a": 1})],
)


def test_what_was_stored_is_read_back_and_names_are_no_keys() -> None:
    objects = MemoryObjects()

    stored = put_script(objects, "acme/hello/1/", MODULES, MANIFEST)
    found = read_script(objects, "acme/hello/1/")

    assert found is not None
    assert (found.manifest, found.modules) == (msgspec.structs.replace(stored, modules=list(stored.modules)), MODULES)
    assert sorted(key for _, key in objects.stored) == [
        f"acme/hello/1/{MANIFEST_NAME}",
        "acme/hello/1/files/0",
        "acme/hello/1/files/1",
    ]
    assert msgspec.json.decode(objects.stored[BUCKET, f"acme/hello/1/{MANIFEST_NAME}"])["v"] == 1


def test_an_upload_that_was_not_finished_is_no_script() -> None:
    class EndsEarly(MemoryObjects):
        def put(self, key: str, content: bytes, *, content_type: str = "") -> None:
            if key.endswith(MANIFEST_NAME):
                raise ConnectionError
            super().put(key, content, content_type=content_type)

    objects = EndsEarly()
    with pytest.raises(ConnectionError):
        put_script(objects, "acme/hello/1/", MODULES, MANIFEST)

    assert read_script(objects, "acme/hello/1/") is None


def test_a_module_that_changed_or_went_is_noticed() -> None:
    objects = MemoryObjects()
    put_script(objects, "a/", MODULES, MANIFEST)

    objects.stored[BUCKET, "a/files/1"] = b"\x01"
    with pytest.raises(BrokenScript, match="not what was uploaded"):
        read_script(objects, "a/")
    del objects.stored[BUCKET, "a/files/1"]
    with pytest.raises(BrokenScript, match="not there"):
        read_script(objects, "a/")


@pytest.mark.parametrize("name", ["", "/abs", "a\\b", "../x", "a/./b", "a//b", "a/", "nul\x00", "del\x7f", "x" * 513])
def test_a_module_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(InvalidModuleName):
        check_module_names(["index.js", name])


def test_module_names_may_have_folders_spaces_and_any_letters_but_only_once() -> None:
    check_module_names(["index.js", "sub/z.cjs", "no extension", "größe.txt", "..hidden"])
    with pytest.raises(InvalidModuleName, match="twice"):
        check_module_names(["index.js", "index.js"])


def test_settings_name_what_is_missing_and_show_no_key() -> None:
    with pytest.raises(ConfigurationError, match="-s3-bucket"):
        StorageSettings(bucket="").check()
    with pytest.raises(ConfigurationError, match="two parts"):
        StorageSettings(bucket="b", access_key_id="id").check()
    assert "hunter2" not in repr(StorageSettings(bucket="b", access_key_id="id", secret_access_key="hunter2"))
