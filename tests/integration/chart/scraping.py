"""Reads metrics as a scraper does."""

import ssl
import urllib.error
import urllib.request

# Every process has signed its own certificate.
_CONTEXT = ssl._create_unverified_context()  # noqa: S323 - see above


def scrape(url: str, token: str = "") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - of this machine
    try:
        with urllib.request.urlopen(request, timeout=30, context=_CONTEXT) as answer:  # noqa: S310 - see above
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
