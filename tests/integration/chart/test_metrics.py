"""Metrics are for those whom the API server lets read them; a real Prometheus does."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any
from urllib.request import urlopen

import pytest
import yaml

from framework.testing.control_plane.ports import free_port
from tests.integration.chart.pods import Pods, run_script
from tests.integration.chart.release import CHART, Release, by_kind
from tests.integration.chart.scraping import scrape
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("chart")
ALERTS = CHART / "files" / "alerts.yaml"
TARGETS = ("director", "worker", "manager")


@pytest.fixture(scope="module")
def reader(live: Release) -> str:
    """A token of an account that may read metrics, by the role of the chart."""
    live.kubectl("create", "serviceaccount", "scraper", "-n", live.namespace, check=True)
    role = f"{live.namespace}:{live.name}-metrics-reader"
    account = f"{live.namespace}:scraper"
    live.kubectl(
        "create", "clusterrolebinding", "scraper", f"--clusterrole={role}", f"--serviceaccount={account}", check=True
    )
    return live.token("scraper")


@pytest.mark.parametrize("component", TARGETS)
def test_metrics_are_refused_without_a_token_and_without_the_right(component: str, pods: Pods, live: Release) -> None:
    url = pods.metrics_url(component)

    assert scrape(url)[0] == 401
    assert scrape(url, "made-up")[0] == 401
    assert scrape(url, live.token("default")) == (
        403,
        f"user 'system:serviceaccount:{live.namespace}:default' may not get /metrics\n",
    )


@pytest.mark.parametrize("component", TARGETS)
def test_metrics_are_given_to_who_may_read_them(component: str, pods: Pods, reader: str) -> None:
    status, text = scrape(pods.metrics_url(component), reader)

    assert status == 200
    assert "windlass_build_info" in text


def test_jobs_of_helm_test_do_what_they_say(pods: Pods, live: Release, reader: str, tmp_path: Path) -> None:
    jobs = [job for job in by_kind(live.hooks(), "Job") if job["metadata"]["name"].endswith("-test-worker")]
    token_file, url = tmp_path / "token", pods.metrics_url("worker")

    codes = []
    for token in (reader, live.token("default")):
        token_file.write_text(token)
        codes.append(run_script(jobs[0], URL=url, TOKEN_FILE=str(token_file)).returncode)

    assert codes == [0, 1]


class Prometheus:
    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"

    def ask(self, path: str) -> Any:
        with urlopen(f"{self._url}{path}", timeout=10) as answer:  # noqa: S310 - of this machine
            return json.load(answer)["data"]

    def is_ready(self) -> bool:
        try:
            with urlopen(f"{self._url}/-/ready", timeout=10) as answer:  # noqa: S310 - see above
                return bool(answer.status == 200)
        except OSError:
            return False


@pytest.fixture(scope="module")
def prometheus(pods: Pods, reader: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    program = which("prometheus")
    if program is None:
        pytest.skip("needs prometheus (Debian: apt-get install prometheus)")
    folder, port = tmp_path_factory.mktemp("prometheus"), free_port()
    (folder / "token").write_text(reader)
    scraped = {
        "job_name": "windlass",
        "scheme": "https",
        "authorization": {"credentials_file": str(folder / "token")},
        "tls_config": {"insecure_skip_verify": True},
        "static_configs": [{"targets": [f"127.0.0.1:{pods.port(name, 'metrics')}" for name in TARGETS]}],
    }
    document = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(ALERTS)],
        "scrape_configs": [scraped],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(document))
    flags = [
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "log").open("wb") as log, subprocess.Popen([program, *flags], stdout=log, stderr=log) as process:
        try:
            found = Prometheus(port)
            eventually(found.is_ready, "Prometheus is ready")
            yield found
        finally:
            process.terminate()


def test_real_prometheus_scrapes_every_component(prometheus: Prometheus) -> None:
    def up() -> list[str]:
        return [each["value"][1] for each in prometheus.ask("/api/v1/query?query=up")["result"]]

    eventually(lambda: up() == ["1"] * len(TARGETS), f"all are up: {prometheus.ask('/api/v1/targets')}")
    assert len(prometheus.ask("/api/v1/query?query=windlass_build_info")["result"]) == len(TARGETS)


def test_real_prometheus_loads_every_alert_and_none_fires_for_a_healthy_release(prometheus: Prometheus) -> None:
    names = {rule["alert"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]}

    def rules() -> list[Any]:
        return [rule for group in prometheus.ask("/api/v1/rules")["groups"] for rule in group["rules"]]

    eventually(lambda: all(rule["health"] == "ok" for rule in rules()), "all rules can be evaluated")
    assert {rule["name"] for rule in rules()} == names
    assert [rule["name"] for rule in rules() if rule["state"] == "firing"] == []


def test_every_metric_of_the_dashboard_and_the_alerts_is_one_that_the_binary_has(pods: Pods, reader: str) -> None:
    served = "\n".join(scrape(pods.metrics_url(name), reader)[1] for name in TARGETS)
    dashboard = json.loads((CHART / "files" / "dashboard.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    expressions += [rule["expr"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]

    assert metrics_in(expressions) - set(metric_families(served)) - OF_OTHER_PROCESSES == set()


# Of webhooks, which these processes do not serve, and of remote clusters, of which there are none yet.
OF_OTHER_PROCESSES = {
    "certwatcher_read_certificate_errors_total",
    "peerpods_webhook_cert_expiry_seconds",
    "windlass_certificate_expiry_timestamp_seconds",
}


def metrics_in(expressions: list[str]) -> set[str]:
    words = {word for text in expressions for word in re.findall(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b(?!\()", text)}
    return {word.removesuffix("_bucket") for word in words if word not in PROMQL}


PROMQL = {"histogram_quantile", "__rate_interval"}


def metric_families(text: str) -> set[str]:
    names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    return names | {f"{name}_total" for name in names}
