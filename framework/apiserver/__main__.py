"""`python -m framework.apiserver --folder F` runs the embedded server alone, until a signal."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from framework.apiserver.auth.token_file import read_token_file
from framework.apiserver.companions import essential, everything
from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.apiserver.server import ServerOptions
from framework.errors import WindlassError
from framework.runtime import ThreadRuntime
from framework.signals import stop_on_signals


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m framework.apiserver", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where keys, kubeconfig and objects are")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--durable", action="store_true", help="keep objects in SQLite")
    parser.add_argument("--no-workloads", action="store_true", help="leave Deployments and Jobs to others")
    parser.add_argument("--token-auth-file", type=Path, help="CSV of static tokens: token,user,uid,groups")
    parser.add_argument("--audit-log", type=Path, help="gets a line for each request")
    arguments = parser.parse_args(argv)
    stop = stop_on_signals()
    try:
        options = _options(arguments)
        with EmbeddedServer(arguments.folder, options=options, runtime=ThreadRuntime()) as server:
            sys.stdout.write(f"{server.kubeconfig}\n")
            sys.stdout.flush()
            stop.wait()
    except WindlassError as error:
        sys.stderr.write(f"apiserver: {error}\n")
        return 1
    return 0


def _options(arguments: argparse.Namespace) -> EmbeddedOptions:
    return EmbeddedOptions(
        port=arguments.port,
        is_durable=arguments.durable,
        audit_log=arguments.audit_log,
        controllers=essential if arguments.no_workloads else everything,
        server=ServerOptions(tokens=read_token_file(arguments.token_auth_file) if arguments.token_auth_file else {}),
    )


if __name__ == "__main__":
    sys.exit(main())
