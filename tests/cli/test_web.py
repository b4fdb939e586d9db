"""`web`: ADK's UI for our one agent, started as a person starts it."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest


@pytest.mark.process
def test_the_ui_lists_our_agent_alone(data_dir, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "ADK_DISABLE_LOAD_DOTENV": "1", "DATA_DIR": str(data_dir), "HOME": str(tmp_path)}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "personalized_shopping.cli", "web", "--port", str(port)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            assert apps(port, process) == ["personalized_shopping"], (tmp_path / "log").read_text()
        finally:
            process.terminate()
            process.wait(timeout=120)
    assert f"open http://127.0.0.1:{port}" in (tmp_path / "log").read_text()


def apps(port, process):
    """Ask for the list of agents until the server answers or has ended."""
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/list-apps", timeout=5) as answer:
                return json.load(answer)
        except OSError:
            time.sleep(0.1)  # the server is a process of its own: it can only be asked again
    return None


def test_a_missing_catalogue_stops_the_start(cli, monkeypatch):
    monkeypatch.setenv("CATALOG_PATH", "/does/not/exist")
    outcome = cli("web")
    assert outcome.code == 3
    assert "CATALOG_PATH names it" in outcome.err
