"""What other products of Cloudflare would answer: there is nothing of it here, or it cannot be had."""

from controllers.cfapi import failure
from controllers.cfapi.envelope import Reply
from controllers.cfapi.request import CfRequest, Endpoint


def empty_list(_request: CfRequest) -> Reply:
    """True, and wrangler goes on: there are none."""
    return Reply([], is_page=True)


def refused(what: str) -> Endpoint:
    def refuse(_request: CfRequest) -> Reply:
        raise failure.unsupported(what)

    return refuse
