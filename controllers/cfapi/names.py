"""Names that come with a request, checked before anything is looked up by them."""

from controllers.cfapi import failure
from controllers.workers.script_rules import InvalidInput
from controllers.workers.script_rules import check_account_name as check_account
from controllers.workers.script_rules import check_script_name as check_script


def check_account_name(name: str) -> None:
    """Raises what to answer if no account can have this name."""
    try:
        check_account(name)
    except InvalidInput:
        raise failure.no_route(f"account {name[:100]!r}") from None


def check_script_name(name: str) -> None:
    """Raises what to answer if no script can have this name."""
    try:
        check_script(name)
    except InvalidInput as error:
        raise failure.rejected(str(error)) from None
