"""Fleets: the same results however they are rendered, whole files only, and memory that does not grow with them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import lamina as library
from lamina.errors import InputError, UsageError
from lamina.fleet import worker
from lamina.fleet.batches import Pace
from lamina.fleet.local_executors import Executor, Pool, in_this_process
from lamina.fleet.worker import PARTIAL
from lamina.views.render import render_with
from support.fleet_files import lamina, rendered, texts, write_fleet

SMALL = Pace(3, 3)


def expected(manifest: Path, count: int) -> dict[str, Any]:
    """The results as `lamina.render` gives them, one by one."""
    options = json.loads(manifest.read_text())["options"]
    root = manifest.parent
    return {
        f"node{at}": library.render(
            [root / "common.yaml", root / f"role/{at % 4}.yaml", root / f"node/{at}.yaml"], "cloud-init", **options
        )
        for at in range(count)
    }


@pytest.mark.parametrize("executor", [in_this_process, Pool(2)], ids=["here", "pool"])
def test_results_do_not_depend_on_how_they_are_made(tmp_path: Path, executor: Executor) -> None:
    manifest = write_fleet(tmp_path, 23)
    order: dict[str, Any] = {"pace": SMALL}
    wanted = expected(manifest, 23)
    report, lines = rendered(manifest, executor, **order)
    assert (report.rendered, report.failed, report.repeated) == (23, 0, {})
    assert {line["target"]: line["value"] for line in map(json.loads, lines)} == {
        name: result.value for name, result in wanted.items()
    }
    rendered(manifest, executor, output=tmp_path / "out", **order)
    assert texts(tmp_path / "out") == {f"{name}.yaml": result.to_yaml() for name, result in wanted.items()}
    rendered(manifest, executor, output=tmp_path / "json", form="json", **order)
    assert texts(tmp_path / "json") == {
        f"{name}.json": result.to_json(sort_keys=True) for name, result in wanted.items()
    }


def test_lines_come_in_one_order_whoever_renders(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, 40)
    here = rendered(manifest, pace=SMALL)[1]
    assert here == rendered(manifest, Pool(3), pace=Pace(7, 7))[1]
    assert len(here) == 40


def test_a_node_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    write_fleet(tmp_path, 12, bad=(3, 7))
    done = lamina("render", "fleet.yaml", "--output-dir", "out", "-j", "2", folder=tmp_path)
    assert done.returncode == 3
    assert done.stdout == ""
    assert len(texts(tmp_path / "out")) == 10
    assert "node/3.yaml:" in done.stderr
    assert "  in node3\n" in done.stderr
    assert "invalid-yaml" in done.stderr
    assert done.stderr.endswith("12 targets: 10 rendered, 2 failed\n")


def test_what_many_nodes_fail_of_is_reported_once(tmp_path: Path) -> None:
    write_fleet(tmp_path, 50)
    (tmp_path / "role/1.yaml").unlink()
    done = lamina("render", "fleet.yaml", "--format", "jsonl", "-q", folder=tmp_path)
    assert done.returncode == 3
    assert [line for line in done.stderr.splitlines() if "hint:" not in line] == [
        "there is no file role/1.yaml [missing-file]",
        "  in node1, node13, node17 and 10 more",
    ]
    assert len(done.stdout.splitlines()) == 37


def test_inputs_must_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("secret: 1\n")
    inside = tmp_path / "fleet"
    inside.mkdir()
    (inside / "link.yaml").symlink_to("../secret.yaml")
    names = ["../secret.yaml", str(tmp_path / "secret.yaml"), "link.yaml", "x/../../secret.yaml", ".."]
    nodes = [{"name": f"n{at}", "inputs": [name]} for at, name in enumerate(names)]
    (inside / "fleet.yaml").write_text(json.dumps({"dialect": "cloud-init", "nodes": nodes}))
    report, lines = rendered(inside / "fleet.yaml")
    assert lines == []
    assert report.failed == len(names)
    assert all("outside-folder" in text for text in report.repeated)


def test_names_cannot_lead_out_of_the_output_folder(tmp_path: Path) -> None:
    write_fleet(tmp_path, 1)
    names = ["../out", "/tmp/x", "..", ".", ".hidden", "a/b", "é\n", "x" * 500, "-o", "con"]
    nodes = [{"name": name, "inputs": ["node/0.yaml"]} for name in names]
    manifest = json.loads((tmp_path / "fleet.yaml").read_text()) | {"nodes": nodes}
    (tmp_path / "fleet.yaml").write_text(json.dumps(manifest))
    before = {path for path in tmp_path.rglob("*") if "out" not in path.parts}
    report, _ = rendered(tmp_path / "fleet.yaml", output=tmp_path / "o" / "out")
    assert report.rendered == len(names) == len(texts(tmp_path / "o" / "out"))
    assert {path for path in tmp_path.rglob("*") if "o" not in path.parts} == before


def test_one_name_twice_is_rejected_before_anything_is_rendered(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, 3, lines=True)
    with (tmp_path / "nodes.jsonl").open("a") as lines:
        lines.write('{"name": "NODE1", "inputs": ["node/1.yaml"]}\n')
    with pytest.raises(InputError, match="'NODE1' would be written to the same file"):
        rendered(manifest, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


class TestResume:
    def test_what_is_up_to_date_is_not_rendered_again(self, tmp_path: Path) -> None:
        manifest = write_fleet(tmp_path, 10)
        out = tmp_path / "out"
        rendered(manifest, output=out)
        before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.yaml")}
        report, _ = rendered(manifest, output=out, resume=True)
        assert (report.rendered, report.current) == (0, 10)
        assert {path.name: path.stat().st_mtime_ns for path in out.glob("*.yaml")} == before

    @pytest.mark.parametrize(
        ("change", "again"),
        [
            (lambda root: (root / "node/4.yaml").write_text("changed: yes\n"), 1),
            (lambda root: (root / "role/2.yaml").write_text("changed: yes\n"), 2),
            (lambda root: (root / "common.yaml").write_text("changed: yes\n"), 10),
            (lambda root: (root / "out/node5.yaml").unlink(), 1),
            (lambda root: (root / "out/node5.yaml").write_text("tampered"), 1),
            (lambda root: (root / "out/.lamina-fleet.db").write_bytes(b"no database" * 100), 10),
            (lambda root: (root / "out/.lamina-fleet.db").unlink(), 10),
        ],
        ids=["node", "role", "common", "gone", "tampered", "journal damaged", "journal gone"],
    )
    def test_what_changed_is_rendered_again(self, tmp_path: Path, change: Any, again: int) -> None:
        manifest = write_fleet(tmp_path, 10)
        rendered(manifest, output=tmp_path / "out")
        change(tmp_path)
        report, _ = rendered(manifest, output=tmp_path / "out", resume=True)
        assert (report.rendered, report.current) == (again, 10 - again)
        resumed = texts(tmp_path / "out")
        rendered(manifest, output=tmp_path / "fresh")
        assert resumed == texts(tmp_path / "fresh")

    def test_other_options_and_forms_count_as_changes(self, tmp_path: Path) -> None:
        manifest = write_fleet(tmp_path, 4)
        rendered(manifest, output=tmp_path / "out")
        assert rendered(manifest, output=tmp_path / "out", form="json", resume=True)[0].rendered == 4
        shown = json.loads(manifest.read_text())
        shown["options"]["merge"] = "dict(replace)"
        manifest.write_text(json.dumps(shown))
        assert rendered(manifest, output=tmp_path / "out", form="json", resume=True)[0].rendered == 4

    def test_a_run_that_failed_in_part_goes_on(self, tmp_path: Path) -> None:
        manifest = write_fleet(tmp_path, 6, bad=(2,))
        assert rendered(manifest, output=tmp_path / "out")[0].failed == 1
        (tmp_path / "node/2.yaml").write_text("name: mended\n")
        report, _ = rendered(manifest, output=tmp_path / "out", resume=True)
        assert (report.rendered, report.current, report.failed) == (1, 5, 0)


INTERRUPTIBLE = """
import signal
from lamina.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
"""What is started in the background of a script ignores interrupts, and so would all it starts."""


def run_in_background(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "render", "fleet.yaml", "--output-dir", "out", *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_files(folder: Path, count: int) -> None:
    for _ in range(2400):
        if folder.is_dir() and sum(1 for _ in folder.glob("*.yaml")) >= count:
            return
        time.sleep(0.01)
    raise AssertionError("the run never got going")


@pytest.mark.slow
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL], ids=["interrupt", "kill"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_run_leaves_whole_files_and_goes_on(tmp_path: Path, kill: signal.Signals, jobs: str) -> None:
    # The first are enough for some batches to be done, and so many follow that there is time to interrupt.
    count, first = 12_000, 500
    manifest = write_fleet(tmp_path, count, lines=True)
    process = run_in_background(tmp_path, "-j", jobs)
    wait_for_files(tmp_path / "out", first)
    os.killpg(process.pid, kill)
    _, printed = process.communicate(timeout=60)
    assert process.returncode == (130 if kill is signal.SIGINT else -9)
    if kill is signal.SIGINT:
        assert printed.endswith("lamina: interrupted\n")
        assert not list((tmp_path / "out").glob(f"{PARTIAL}*-*"))
    written = list((tmp_path / "out").glob("*.yaml"))
    assert first <= len(written) < count
    assert all(path.read_text().endswith("\n") for path in written)
    report, _ = rendered(manifest, output=tmp_path / "out", resume=True)
    assert report.rendered + report.current == count
    assert report.current > 0
    whole = texts(tmp_path / "out")
    assert len(whole) == count
    rendered(manifest, output=tmp_path / "fresh")
    assert whole == texts(tmp_path / "fresh")


PEAK = """
import sys
from lamina.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as left:
    assert not left.code, left.code
# The peak of this process since it began; ru_maxrss would also count the one it was started by.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def peak(folder: Path, count: int) -> int:
    folder.mkdir()
    write_fleet(folder, count, lines=True)
    arguments = ["render", "fleet.yaml", "--output-dir", "out", "-j", "1", "-q"]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=300
    )
    shutil.rmtree(folder)
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="not Linux: the peak is read from /proc")
def test_memory_does_not_grow_with_the_number_of_nodes(tmp_path: Path) -> None:
    small, large = peak(tmp_path / "small", 1_000), peak(tmp_path / "large", 10_000)
    assert large < 1.3 * small, f"{small} KB for 1,000 nodes, {large} KB for 10,000"


def test_a_worker_that_dies_costs_only_the_node_that_kills_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = write_fleet(tmp_path, 30)
    real = render_with

    def deadly(dialect: Any, inputs: Any, *more: Any) -> Any:
        if inputs.sources[-1].name.endswith("node/17.yaml"):
            os._exit(9)
        return real(dialect, inputs, *more)

    monkeypatch.setattr(worker, "render_with", deadly)
    report, lines = rendered(manifest, Pool(2), pace=SMALL)
    assert report.failed == 1
    [(text, printed)] = report.repeated.items()
    assert text.startswith("the worker died while rendering this node [worker-died]\n")
    assert printed.nodes == ["node17"]
    assert sorted(json.loads(line)["target"] for line in lines) == sorted(f"node{at}" for at in range(30) if at != 17)


def test_a_defect_in_one_node_is_reported_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = write_fleet(tmp_path, 3)
    real = render_with

    def broken(dialect: Any, inputs: Any, *more: Any) -> Any:
        if inputs.sources[-1].name.endswith("node/1.yaml"):
            raise KeyError("oops")
        return real(dialect, inputs, *more)

    monkeypatch.setattr(worker, "render_with", broken)
    report, lines = rendered(manifest)
    assert len(lines) == 2
    assert list(report.repeated) == ["internal error: KeyError: 'oops' [internal-error]"]


class TestCommand:
    def test_wrong_usage_is_reported(self, tmp_path: Path) -> None:
        write_fleet(tmp_path, 1)
        for arguments, message in (
            (("fleet.yaml", "--resume"), "--resume and --scheduler need --output-dir."),
            (("fleet.yaml", "--dialect", "nope"), "unknown-dialect"),
            (("fleet.yaml", "--node", "x"), "--node is an option of datum"),
            (("fleet.yaml", "--output-dir", "fleet.yaml/x"), "unwritable-folder"),
        ):
            done = lamina("render", *arguments, folder=tmp_path)
            assert done.returncode == 2, done.stderr
            assert message in done.stderr
            assert done.stdout == ""

    def test_options_on_the_command_line_win(self, tmp_path: Path) -> None:
        write_fleet(tmp_path, 1)
        done = lamina("render", "fleet.yaml", "--merge", "dict(replace)", "--json", folder=tmp_path)
        assert json.loads(done.stdout)["dns"] == ["10.1.0.0"]

    def test_progress_is_reported_every_few_seconds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from lamina.fleet import progress
        from lamina.fleet.job import Report

        now = [0.0]
        monkeypatch.setattr(progress, "monotonic", lambda: now[0])
        printed: list[str] = []
        lines = progress.ProgressLines(printed.append)
        lines.begin(10_000)
        for _ in range(10):
            now[0] += 2.0
            lines.advance(Report(rendered=999, failed=1))
        assert printed == [
            "3,000 of 10,000 nodes, 500 a second, 14 s left, 3 failed",
            "6,000 of 10,000 nodes, 500 a second, 8 s left, 6 failed",
            "9,000 of 10,000 nodes, 500 a second, 2 s left, 9 failed",
        ]
        assert [progress.duration_text(time) for time in (5, 65, 1000, 7500)] == [
            "5 s",
            "1 min 5 s",
            "16 min",
            "2 h 5 min",
        ]

    def test_an_output_folder_inside_a_folder_that_is_rendered_is_rejected(self, tmp_path: Path) -> None:
        (tmp_path / "Datum.yml").write_text("ResolutionPrecedence: []\n")
        (tmp_path / "AllNodes").mkdir()
        (tmp_path / "AllNodes/a.yml").write_text("Name: a\n")
        (tmp_path / "AllNodes/b.yml").write_text("Name: b\n")
        done = lamina("render", ".", "--output-dir", "out", folder=tmp_path)
        assert done.returncode == 2
        assert "output-inside-inputs" in done.stderr


def test_a_usage_error_of_the_dialect_comes_before_the_run(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, 2)
    shown = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**shown, "options": {"mood": "merge"}}))
    with pytest.raises(UsageError, match="did you mean 'mode'"):
        rendered(manifest)
