"""The Dockerfile for builders that want one: generated, never downloaded, and without a step that runs anything."""

import json

from controllers.workerbuild.context import CONFIG_FILE, WORKER_FOLDER

# No base at all, in every builder's words.
SCRATCH = "scratch"
ENTRYPOINT = ("/usr/local/bin/workerd",)
COMMAND = ("serve", f"/{WORKER_FOLDER}/{CONFIG_FILE}")
USER = "65532:65532"


def dockerfile(base: str) -> str:
    return (
        f"FROM {base}\n"
        f"COPY {WORKER_FOLDER} /{WORKER_FOLDER}\n"
        f"WORKDIR /{WORKER_FOLDER}\n"
        f"USER {USER}\n"
        f"ENTRYPOINT {json.dumps(ENTRYPOINT)}\n"
        f"CMD {json.dumps(COMMAND)}\n"
    )
