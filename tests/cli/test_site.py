"""`site`: the website, started as a person starts it."""

import json
import os
import socket
import subprocess
import sys
import urllib.request

import pytest


@pytest.mark.process
def test_the_shop_opens_and_logs(data_dir, tmp_path):
    environment = {**os.environ, "ADK_DISABLE_LOAD_DOTENV": "1", "DATA_DIR": str(data_dir), "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "personalized_shopping.cli", "site", "--port", "0", "--log", ".", "--allow-chosen-ids"],
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = next(line for line in process.stderr if "http://" in line)
        address = said.split("open at ")[1].split(" ")[0]
        with urllib.request.urlopen(f"{address}/fixed_1", timeout=60) as answer:
            assert answer.headers["Server"] == "personalized-shopping"
            assert 'id="instruction-text"' in answer.read().decode()
        with urllib.request.urlopen(f"{address}/static/site.css", timeout=60) as answer:
            assert answer.headers["Content-Type"].startswith("text/css")
    finally:
        process.terminate()
        process.wait(timeout=120)
        process.stderr.close()
    (line,) = (tmp_path / "user_session_logs" / "mturk" / "fixed_1.jsonl").read_text().splitlines()
    assert json.loads(line)["page"] == "index"


def test_a_port_that_is_taken(cli):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = cli("site", "--port", str(taken.getsockname()[1]))
    assert outcome.code == 2
    assert "cannot listen" in outcome.err and "--port" in outcome.err


def test_a_missing_catalogue(cli):
    outcome = cli("site", "--catalog", "/does/not/exist")
    assert outcome.code == 3
    assert "no catalogue" in outcome.err
