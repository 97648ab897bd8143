"""The command lines of the servers, and the reasons for their flags."""

from collections.abc import Sequence
from pathlib import Path

from framework.testing.control_plane.credentials import Credentials


def etcd(binaries: Path, *, name: str, data: Path, client_url: str, peer_url: str) -> list[str]:
    return [
        str(binaries / "etcd"),
        f"--name={name}",
        f"--data-dir={data}",
        f"--listen-client-urls={client_url}",
        f"--advertise-client-urls={client_url}",
        f"--listen-peer-urls={peer_url}",
        f"--initial-advertise-peer-urls={peer_url}",
        f"--initial-cluster={name}={peer_url}",
        # Survives kill -9, not a power cut: a test needs no more, and the disk would be the slowest part.
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def kube_apiserver(
    binaries: Path, *, port: int, etcd_url: str, credentials: Credentials, extra: Sequence[str]
) -> list[str]:
    command = [
        str(binaries / "kube-apiserver"),
        f"--etcd-servers={etcd_url}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        # Without an address the server looks for a network, which a sandbox may not have; and no address of the
        # loopback can be an endpoint of the service `kubernetes`.
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        # Holds apiserver.crt and apiserver.key, and gets them if they are not there.
        f"--cert-dir={credentials.folder}",
        f"--token-auth-file={credentials.token_file}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-account-key-file={credentials.service_account_key}",
        f"--service-account-signing-key-file={credentials.service_account_key}",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--allow-privileged=true",
        "--profiling=false",
        # Ends watches on SIGTERM. By default a watch holds up the end for as long as a minute.
        "--shutdown-watch-termination-grace-period=2s",
    ]
    if credentials.has_authority:
        command.append(f"--client-ca-file={credentials.ca_file}")
    return [*command, *extra]


def kube_controller_manager(
    binaries: Path, *, kubeconfig: Path, credentials: Credentials, controllers: Sequence[str]
) -> list[str]:
    return [
        str(binaries / "kube-controller-manager"),
        f"--kubeconfig={kubeconfig}",
        f"--controllers={','.join(controllers)}",
        f"--service-account-private-key-file={credentials.service_account_key}",
        f"--root-ca-file={credentials.ca_file}",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false",
    ]


def kube_scheduler(binaries: Path, *, kubeconfig: Path) -> list[str]:
    return [
        str(binaries / "kube-scheduler"),
        f"--kubeconfig={kubeconfig}",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false",
    ]


def kwok(binaries: Path, *, kubeconfig: Path) -> list[str]:
    return [
        str(binaries / "kwok"),
        f"--kubeconfig={kubeconfig}",
        f"--config={binaries / 'kwok.yaml'}",
        # A node that a test makes is as alive as ours.
        "--manage-all-nodes=true",
        "--node-lease-duration-seconds=40",
        # No kubelet port: it would listen on every address of the machine.
        "--node-port=0",
    ]
