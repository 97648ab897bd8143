"""Run by `helm test` in a pod: the Service leads to a process that is ready."""

import os
import ssl
import urllib.request

URL = os.environ["URL"]
# What is tested is that it answers; its certificate is for the name that developers use.
CONTEXT = ssl._create_unverified_context() if URL.startswith("https:") else None
# Raises for an answer that is an error.
with urllib.request.urlopen(URL, timeout=10, context=CONTEXT) as answer:
    print(f"{URL}: {answer.status}")
