"""The definitions of others that objects of the chart are of."""

import json
import subprocess
import sys
from pathlib import Path

from tests.conftest import Kubectl

_SCRIPT = Path(__file__).parents[3] / "hack" / "foreign-definitions"
# Not to be had from the module proxy, or in no reasonable size: only that there is such a kind.
_STAND_INS = {
    "grafana.integreatly.org": ("v1beta1", "GrafanaDashboard", "grafanadashboards"),
    "cilium.io": ("v2", "CiliumNetworkPolicy", "ciliumnetworkpolicies"),
}
_KINDS = (
    "servicemonitors.monitoring.coreos.com",
    "podmonitors.monitoring.coreos.com",
    "prometheusrules.monitoring.coreos.com",
    "certificates.cert-manager.io",
    "issuers.cert-manager.io",
)


def install_foreign_definitions(kubectl: Kubectl) -> None:
    folder = foreign_definitions()
    real = [] if folder is None else ["-f", str(folder)]
    missing = _KINDS if folder is None else ()
    stand_ins = [_stand_in(group, *names) for group, names in _STAND_INS.items()]
    stand_ins += [
        _stand_in(group, "v1", plural.removesuffix("s").title(), plural)
        for plural, _, group in (kind.partition(".") for kind in missing)
    ]
    if real:
        kubectl("apply", "--server-side", *real, check=True)
    kubectl(
        "apply",
        "--server-side",
        "-f",
        "-",
        input=json.dumps({"apiVersion": "v1", "kind": "List", "items": stand_ins}),
        check=True,
    )
    kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all", check=True)


def foreign_definitions() -> Path | None:
    """Their folder; None if they cannot be had here."""
    done = subprocess.run([sys.executable, str(_SCRIPT)], capture_output=True, text=True, timeout=240, check=False)
    return Path(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def _stand_in(group: str, version: str, kind: str, plural: str) -> dict[str, object]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": names,
            "scope": "Namespaced",
            "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
