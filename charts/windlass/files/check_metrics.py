"""Run by `helm test` in a pod: metrics are refused without a token, and given with one that may read them."""

import os
import ssl
import sys
import urllib.error
import urllib.request
from pathlib import Path

URL, TOKEN_FILE = os.environ["URL"], Path(os.environ["TOKEN_FILE"])
IS_SECURE = os.environ["IS_SECURE"] == "true"
# What is tested is who is let in; the certificate may be one that the process has signed for itself.
CONTEXT = ssl._create_unverified_context() if IS_SECURE else None


def status(token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(URL, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10, context=CONTEXT) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


found = (status(""), status(TOKEN_FILE.read_text().strip()))
print(f"{URL}: {found[0]} without a token, {found[1]} with one")
sys.exit(found != ((401, 200) if IS_SECURE else (200, 200)))
