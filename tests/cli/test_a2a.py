"""`a2a`: the agent for other agents, started as a person starts it."""

import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("a2a", reason="the extra a2a is not installed")
from personalized_shopping.a2a import listen


@pytest.mark.process
def test_the_card_is_where_it_says(data_dir, tmp_path):
    environment = {**os.environ, "ADK_DISABLE_LOAD_DOTENV": "1", "DATA_DIR": str(data_dir), "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "personalized_shopping.cli", "a2a", "--port", "0"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = next(line for line in process.stderr if "card" in line)
        address = said.split("card: ")[1].split(" ")[0]
        with urllib.request.urlopen(address, timeout=60) as answer:
            [interface] = json.load(answer)["supportedInterfaces"]
        assert address == interface["url"] + ".well-known/agent-card.json"
    finally:
        process.terminate()
        rest = process.stderr.read()
        process.wait(timeout=120)
        process.stderr.close()
    assert process.returncode in {0, -signal.SIGTERM} and rest == ""


def test_a_port_that_is_taken(cli):
    with listen("127.0.0.1", 0) as taken:
        outcome = cli("a2a", "--port", str(taken.getsockname()[1]))
    assert outcome.code == 2
    assert "Cannot listen" in outcome.err and "--port" in outcome.err
