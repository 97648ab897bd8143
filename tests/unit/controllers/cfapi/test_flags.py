import pytest

from controllers.cfapi.flags import cf_api_options
from controllers.cfapi.mode import check_cf_api_flags
from controllers.flags import FLAGS, MODES
from controllers.options import parse_flags
from framework.errors import ConfigurationError


def options(*flags: str) -> dict[str, object]:
    return parse_flags(FLAGS, tuple(MODES), ["-mode=cf-api", *flags], {})


def test_api_listens_on_every_address_unless_told_otherwise() -> None:
    assert cf_api_options(options()).listen == "0.0.0.0:8080"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "-s3-bucket is missing"),
        (["-s3-bucket=b", "-tls-cert=x"], "-tls-cert and -tls-key go together"),
        (["-s3-bucket=b", "-listen=0"], "-listen is missing"),
        (["-s3-bucket=b", "-workerd=/nowhere"], "-workerd: /nowhere is no file"),
    ],
)
def test_flags_that_do_not_do_are_named(flags: list[str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        check_cf_api_flags(options(*flags))
