"""Run by `helm test` in a pod: the webhook answers over trusted TLS, and makes a pod a peer pod."""

import json
import os
import ssl
import sys
import urllib.request

URL, RUNTIME_CLASS = os.environ["URL"], os.environ["RUNTIME_CLASS"]
CONTEXT = ssl.create_default_context(cafile=os.environ.get("CA_FILE"), cadata=os.environ.get("CA"))
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "helm-test", "namespace": "default"},
    "spec": {"runtimeClassName": RUNTIME_CLASS, "containers": [{"name": "a", "image": "a"}]},
}
REQUEST = {
    "uid": "helm-test",
    "kind": {"group": "", "version": "v1", "kind": "Pod"},
    "resource": {"group": "", "version": "v1", "resource": "pods"},
    "namespace": "default",
    "operation": "CREATE",
    "userInfo": {},
    "dryRun": True,
    "object": POD,
}
review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": REQUEST}
request = urllib.request.Request(URL, json.dumps(review).encode(), {"Content-Type": "application/json"})
with urllib.request.urlopen(request, timeout=10, context=CONTEXT) as answer:
    response = json.load(answer)["response"]
is_fine = response["uid"] == "helm-test" and response["allowed"] and "patch" in response
print(f"{URL}: allowed {response['allowed']}, {'with' if 'patch' in response else 'without'} a patch")
sys.exit(not is_fine)
