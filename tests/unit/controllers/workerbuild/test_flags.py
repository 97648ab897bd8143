import io
from pathlib import Path

import msgspec
import pytest

from controllers.flags import FLAGS, MODES
from controllers.options import parse_flags
from controllers.workerbuild.flags import WORKER_BUILD_MODES
from controllers.workerbuild.modes import run_worker_step
from framework.errors import ConfigurationError


def flags_of(mode: str) -> set[str]:
    return set(parse_flags(FLAGS, tuple(MODES), [f"-mode={mode}"], {}))


def test_each_step_has_only_the_flags_that_it_uses() -> None:
    shared = {"mode", "log-level", "log-format", "termination-log"}

    assert flags_of("worker-fetch") == {
        *shared,
        "plan",
        "destination",
        "base",
        "s3-endpoint",
        "s3-region",
        "s3-bucket",
        "allowed-buckets",
    }
    assert flags_of("worker-check") == {*shared, "context", "workerd", "preflight-timeout"}
    assert flags_of("worker-build") == {
        *shared,
        "context",
        "target",
        "base",
        "platform",
        "workerd-layer",
        "docker-config",
        "default-registry",
        "insecure-registry",
    }


def test_the_storage_is_named_by_the_variables_that_upstreams_job_sets() -> None:
    variables = {"AWS_BUCKET": "b", "AWS_ENDPOINT": "http://s3.example", "AWS_REGION": "r"}

    options = parse_flags(FLAGS, tuple(MODES), ["-mode=worker-fetch"], variables)

    assert (options["s3-bucket"], options["s3-endpoint"], options["s3-region"]) == ("b", "http://s3.example", "r")


@pytest.mark.parametrize("mode", WORKER_BUILD_MODES)
def test_a_flag_that_is_missing_is_named_and_told_to_the_controller(mode: str, tmp_path: Path) -> None:
    log = tmp_path / "termination-log"
    log.touch()
    options = parse_flags(FLAGS, tuple(MODES), [f"-mode={mode}", f"-termination-log={log}"], {})

    with pytest.raises(ConfigurationError, match="is missing"):
        run_worker_step(options, io.StringIO())

    assert msgspec.json.decode(log.read_bytes())["reason"] == "ConfigurationError"
