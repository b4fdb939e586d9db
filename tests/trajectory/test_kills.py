"""A process that is killed while it records: whatever was acknowledged is there, and the rest reads as a whole.

Two processes fork one recording process after the other, wait for its first acknowledgement, and kill it at a random
moment. Forking saves the time of fifty imports; the forking process has no thread of its own.
"""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from personalized_shopping.shared_libraries.trajectory import (
    ToolEnd,
    layout,
    read_log,
    read_session,
    write_execution_trajectory,
)
from personalized_shopping.shared_libraries.trajectory.execution import SCHEMA_FILE

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork"),
]

KILLS = 50
PROCESSES = 2
KILLER = """
    import json, os, random, signal, sys, time
    from pathlib import Path
    from personalized_shopping.shared_libraries.trajectory import *

    root, seed, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

    def record(name, acknowledge):
        run = Run(root, RunStart(app="app", user="user", session=name))
        number = 0
        while True:
            call = f"{number}"
            run.write(ModelCall(step=number, text="I look. " * (number % 40), usage=Usage(total_tokens=number)))
            run.write(ToolCall(step=number, call_id=call, tool="click", arguments={"n": number}, action="click[b]"))
            if number % 5 == 0:
                run.write(Decision(call_id=call, decision="allow", source="rule", facts={"n": number}))
            run.write(ToolStart(call_id=call), durable=number % 7 == 0)
            page = run.show({"at": number // 2}, lambda: RenderedPage("item", f"<p>{call}</p>" * 3000, "tree " * 1000))
            result = {"n": number, "text": f"{number} " * (4000 if number % 3 == 0 else 20)}
            if run.write(ToolEnd(call_id=call, outcome="done", result=result, page=page)).result():
                os.write(acknowledge, f"{number}\\n".encode())
            number += 1

    draw = random.Random(seed)
    for number in range(kills):
        name = f"run-{seed}-{number}"
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                record(name, writing)
            finally:
                os._exit(1)
        os.close(writing)
        first = os.read(reading, 1)
        time.sleep(draw.uniform(0.03, 0.2))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        with open(reading, "rb") as pipe:
            said = (first + pipe.read()).decode()
        print(json.dumps([name, os.WTERMSIG(status), [int(line) for line in said.splitlines()]]), flush=True)
    """


class Killed(NamedTuple):
    """A killed recording, and the numbers of the tool calls whose end was acknowledged."""

    directory: Path
    acknowledged: list[int]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> list[Killed]:
    root = tmp_path_factory.mktemp("killed")
    code = textwrap.dedent(KILLER)
    killers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code, str(root), str(seed), str(KILLS // PROCESSES)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in range(PROCESSES)
    ]
    found: list[Killed] = []
    for killer in killers:
        out, errors = killer.communicate(timeout=300)
        assert errors == ""
        for name, signal, acknowledged in map(json.loads, out.splitlines()):
            assert signal == 9
            (directory,) = root.glob(f"{name}-????????????")
            found.append(Killed(directory, acknowledged))
    assert len(found) == KILLS
    return found


def test_what_was_acknowledged_is_there(killed: list[Killed]) -> None:
    for directory, acknowledged in killed:
        (path,) = layout.logs_of(directory)
        log = read_log(path)
        ended = {int(line.record.call_id) for line in log.lines if isinstance(line.record, ToolEnd)}
        assert acknowledged == list(range(len(acknowledged)))
        assert set(acknowledged) <= ended, path
        assert ended <= set(range(len(acknowledged) + 1)), "and nothing that was not yet asked for"
    assert len({len(acknowledged) for _, acknowledged in killed}) > 5, "the moments differ"
    assert min(len(acknowledged) for _, acknowledged in killed) >= 1


def test_what_is_there_reads_as_a_whole(killed: list[Killed]) -> None:
    for directory, _ in killed:
        (path,) = layout.logs_of(directory)
        log = read_log(path)
        assert [line.seq for line in log.lines] == list(range(len(log.lines)))
        assert (log.missing, log.live, log.status) == (0, False, "aborted")
        assert log.bad_lines <= 1
        for line in log.lines:
            if isinstance(line.record, ToolEnd):
                number = int(line.record.call_id)
                assert line.record.result["n"] == number, "a blob is there before the line that names it"
                assert line.record.result["text"].startswith(f"{number} ")
        session = read_session(directory)
        for page in session.pages.values():
            for blob in (page.html, page.a11y):
                assert blob is not None
                assert len(session.blobs.get(blob)) == blob.bytes


def documents(killed: list[Killed]) -> list[dict[str, Any]]:
    return [json.loads(write_execution_trajectory(one.directory).read_text(encoding="utf-8")) for one in killed]


def test_the_file_for_other_programs_can_be_made(killed: list[Killed]) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))
    for document, (_, acknowledged) in zip(documents(killed), killed, strict=True):
        validator.validate(document)
        assert document["outcome"]["status"] == "aborted"
        done = [result for step in document["steps"] for result in step.get("action_results", [])]
        assert sum(result["outcome"] == "done" for result in done) >= len(acknowledged)
        assert sum(result["outcome"] == "unknown" for result in done) <= 1
        assert document["runs"][0].get("lost_records", 0) <= 1


def test_the_reference_layouts_schema_takes_it(killed: list[Killed], shared_dir: Path) -> None:
    schema = json.loads((shared_dir / "spec" / "schemas" / "exec_traj.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for document in documents(killed[:10]):
        validator.validate(document)
