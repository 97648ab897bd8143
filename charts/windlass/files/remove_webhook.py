"""Run before `helm uninstall` takes the webhook away: removes its configuration, so that nobody waits for it."""

import os
import ssl
import sys
import urllib.error
import urllib.request
from pathlib import Path

FOLDER = Path(os.environ["ACCOUNT_FOLDER"])
HOST, PORT = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
URL = (
    f"https://{f'[{HOST}]' if ':' in HOST else HOST}:{PORT}"
    f"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/{os.environ['CONFIGURATION']}"
)
NOT_FOUND = 404

headers = {"Authorization": f"Bearer {(FOLDER / 'token').read_text().strip()}"}
request = urllib.request.Request(URL, headers=headers, method="DELETE")
try:
    with urllib.request.urlopen(
        request, timeout=30, context=ssl.create_default_context(cafile=FOLDER / "ca.crt")
    ) as answer:
        code = answer.status
except urllib.error.HTTPError as error:
    code = error.code
print(f"{URL}: {code}")
sys.exit(code not in {200, NOT_FOUND})
