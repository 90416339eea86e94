"""The Containerfile, the compose file and the unit: what they name exists, and their steps and commands work."""

from __future__ import annotations

import configparser
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from base64 import b64encode
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from lamina.cli.store_serve import command as serve_command
from service.postgres import Postgres, free_port
from support.installed import cannot_install, failure_of

ROOT = Path(__file__).parents[2]
CONTAINERFILE = ROOT / "Containerfile"
COMPOSE = ROOT / "examples/service/compose.yaml"
UNIT = ROOT / "examples/service/lamina.service"
LAMINA = shlex.join([sys.executable, "-m", "lamina"])
PINNED = re.compile(r"[\w.-]+\.[a-z]+/[\w./-]+:\d[\w.-]*")
"""An image with its registry and a version."""


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Containerfile: the word and what follows it."""
    lines = [line for line in CONTAINERFILE.read_text().splitlines() if line and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


def of(word: str) -> list[str]:
    return [rest for found, rest in instructions() if found == word]


def is_sent(path: str) -> bool:
    """Whether a path is part of what is sent to build the image."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        if line and not line.startswith("#") and (fnmatch(path, pattern) or path.startswith(f"{pattern}/")):
            sent = line.startswith("!")
    return sent


def test_the_containerfile_names_what_exists() -> None:
    assert {word for word, _ in instructions()} <= {"FROM", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT"}
    for image in of("FROM"):
        name = image.split()[0]
        assert PINNED.fullmatch(name), f"{name} is not pinned to a version"
        assert re.search(r"python:3\.1[1-4]\b", name)
    for copied in of("COPY"):
        if not copied.startswith("--from="):
            for path in copied.split()[:-1]:
                assert (ROOT / path).exists(), path
                assert is_sent(path), f"{path} is left out by .dockerignore"
    assert not is_sent(".venv")
    assert not is_sent(".git")
    assert not is_sent("tests")


def test_the_image_has_an_ordinary_user_and_starts_the_command() -> None:
    (user,) = of("USER")
    assert user not in ("root", "0")
    assert any(f"useradd --no-create-home {user}" in run for run in of("RUN"))
    words = [word for word, _ in instructions()]
    assert words.index("USER") > max(at for at, word in enumerate(words) if word == "RUN")
    (entry,) = of("ENTRYPOINT")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert yaml.safe_load(entry) == list(project["scripts"])
    used = re.findall(r"\[([\w,]+)\]\"", " ".join(of("RUN")))
    assert {extra for some in used for extra in some.split(",")} <= project["optional-dependencies"].keys()


class Stage:
    """A stage of the build, in a folder of its own and with an environment of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "venv/bin"
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)

    def copy(self, sources: list[Path], target: str) -> None:
        into = Path(f"{self.folder}{target}")
        for source in sources:
            ignored = shutil.ignore_patterns("__pycache__", "*.so")
            if source.is_dir():
                shutil.copytree(source, into, ignore=ignored)
            else:
                into.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, into)

    def run(self, line: str) -> None:
        steps = [step.strip() for step in line.split("&&") if "useradd" not in step]
        shell = " && ".join(re.sub(r"(?<![\w.])/(src|wheels)\b", rf"{self.folder}/\1", step) for step in steps)
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, f"{shell}\n{done.stdout}{done.stderr}"


def test_the_steps_of_the_image_can_be_run(tmp_path: Path) -> None:
    """Both stages, each in a plain environment; what a real image adds is the system around them."""
    failure = failure_of(sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", str(tmp_path), "hatchling")
    if failure is not None:
        cannot_install("what the build of a wheel needs", failure)
    stages: list[Stage] = []
    for word, rest in instructions():
        if word == "FROM":
            stages.append(Stage(tmp_path / f"stage{len(stages)}"))
        elif word == "RUN":
            stages[-1].run(rest)
        elif word == "COPY":
            *paths, target = rest.split()
            if paths[0].startswith("--from="):
                stages[-1].copy(sorted(stages[0].folder.glob(paths[1].lstrip("/"))), target.rstrip("/"))
            else:
                stages[-1].copy([ROOT / path for path in paths], target.rstrip("/"))
    lamina = stages[-1].bin / "lamina"
    store = f"sqlite:///{tmp_path}/store.db"
    for arguments in (["store", "token", "create", "me", "--role", "read", "--store", store], ["rule", "not-in-place"]):
        done = subprocess.run([lamina, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return found


def test_the_compose_file_names_what_exists() -> None:
    found = compose()
    assert found.keys() == {"services", "secrets", "volumes"}
    for name, service in found["services"].items():
        known = {
            *("image", "build", "environment", "secrets", "volumes", "healthcheck", "depends_on", "entrypoint"),
            *("command", "ports", "restart"),
        }
        assert service.keys() <= known, name
        assert PINNED.fullmatch(service["image"]) if "image" in service else service["build"]
        assert set(service["secrets"]) <= found["secrets"].keys()
        assert {volume.split(":")[0] for volume in service.get("volumes", ())} <= found["volumes"].keys()
        for other, condition in service.get("depends_on", {}).items():
            assert condition == {"condition": "service_healthy"}
            assert found["services"][other]["healthcheck"]["test"]
    build = found["services"]["lamina"]["build"]
    # Without a name, Docker looks for a Dockerfile.
    assert (COMPOSE.parent / build["context"] / build["dockerfile"]).resolve() == CONTAINERFILE
    made = re.findall(r"> ([\w.]+)", COMPOSE.read_text().split("services:")[0])
    assert {f"./{name}" for name in made} == {each["file"] for each in found["secrets"].values()}
    assert all(port.startswith("127.0.0.1:") for port in found["services"]["lamina"]["ports"])


def options_of(line: str) -> set[str]:
    return set(re.findall(r"(?<=\s)--[a-z-]+", line))


def test_the_options_in_the_files_exist() -> None:
    known = {flag for parameter in serve_command.params for flag in parameter.opts}
    started = str(compose()["services"]["lamina"]["command"])
    for line in (started, unit()["Service"]["ExecStart"]):
        assert options_of(line)
        assert options_of(line) <= known


def answered(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def started(shell: str, port: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A server started by a line of a file, once it answers."""
    # The shell makes way for the server, which can then be stopped.
    shell = f"exec {shell.removeprefix('exec ')}"
    process = subprocess.Popen(["sh", "-c", shell], env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            assert answered(f"http://127.0.0.1:{port}/health") == 204
            return process
        except OSError:
            assert process.poll() is None, f"it ended: {shell}"
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def test_the_command_of_the_compose_file_serves_a_store(postgres: Postgres, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(b64encode(secrets.token_bytes(32)).decode() + "\n")
    (tmp_path / "password").write_text(secrets.token_hex(16) + "\n")
    port, name = free_port(), postgres.database().rpartition("/")[2]
    service = compose()["services"]["lamina"]

    def here(line: str) -> str:
        """A line of the file for this machine."""
        line = (
            line.replace("$$", "$").replace("/run/secrets", str(tmp_path)).replace("0.0.0.0:9000", f"127.0.0.1:{port}")
        )
        line = line.replace("@database/lamina", f"@127.0.0.1:{postgres.port}/{name}").replace(
            "127.0.0.1:9000", f"127.0.0.1:{port}"
        )
        return re.sub(r"(^|exec )lamina ", rf"\1{LAMINA} ", line)

    assert service["entrypoint"] == ["sh", "-c"]
    process = started(here(*service["command"]), port, {})
    try:
        checked = [here(each) for each in service["healthcheck"]["test"][1:]]
        subprocess.run([sys.executable, *checked[1:]], check=True)
        assert answered(f"http://127.0.0.1:{port}/api/v1.0/revisions") == 401
        (create,) = re.findall(r"'(lamina store token create .*)'", COMPOSE.read_text())
        made = subprocess.run(["sh", "-c", here(create)], capture_output=True, text=True, check=True)
        asked = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/v1.0/revisions", headers={"X-Auth-Token": made.stdout.strip()}
        )
        with urllib.request.urlopen(asked) as response:
            assert response.status == 200
    finally:
        process.terminate()
        process.wait()


def unit() -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None, strict=True)
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read_string(UNIT.read_text().replace("\\\n", " "))
    return found


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here")
    here = tmp_path / UNIT.name
    here.write_text(UNIT.read_text().replace("/usr/local/bin/lamina", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_command_of_the_unit_serves_a_store(tmp_path: Path) -> None:
    service = unit()["Service"]
    assert service["StateDirectory"] == "lamina"
    assert service["LoadCredential"].startswith("key:/etc/lamina/")
    assert service["DynamicUser"] == service["NoNewPrivileges"] == "yes"
    (tmp_path / "key").write_text(b64encode(secrets.token_bytes(32)).decode())
    port = free_port()
    line = service["ExecStart"].replace("/usr/local/bin/lamina", LAMINA).replace("/var/lib/lamina", str(tmp_path))
    process = started(line.replace(":9000", f":{port}"), port, {"CREDENTIALS_DIRECTORY": str(tmp_path)})
    try:
        assert answered(f"http://127.0.0.1:{port}/api/v1.0/revisions") == 401
        assert (tmp_path / "store.db").exists()
    finally:
        process.terminate()
        process.wait()
