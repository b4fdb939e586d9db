"""Starting ADK as a user does: as a process, from the checkout or from an installed wheel."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT_S = 300


@dataclass
class Install:
    """One way in which the package is there: its interpreter, where to stand, and the agent's folder."""

    python: str
    cwd: Path
    agent_dir: str
    env: dict[str, str] = field(default_factory=dict)

    def adk(self, *arguments: str, typed: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        """Run ``adk`` to its end."""
        return self.run("-m", "google.adk.cli", *arguments, typed=typed, **env)

    def run(self, *arguments: str, typed: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the interpreter to its end."""
        return subprocess.run(
            [self.python, *arguments],
            cwd=self.cwd,
            env=self.env | env,
            input=typed if typed is not None else "",
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=600,
        )

    @contextlib.contextmanager
    def serve(self, *arguments: str, port: int, **env: str) -> Iterator["Client"]:
        """Start a server, wait until it answers, and stop it at the end."""
        process = subprocess.Popen(
            [self.python, *arguments],
            cwd=self.cwd,
            env=self.env | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        client = Client(f"http://127.0.0.1:{port}")
        try:
            deadline = time.monotonic() + START_TIMEOUT_S
            while not client.is_up():
                assert process.poll() is None, f"the server ended: {process.communicate()[0]}"
                assert time.monotonic() < deadline, "the server does not answer"
                time.sleep(0.1)
            yield client
        finally:
            process.terminate()
            process.communicate(timeout=120)


class Client:
    """A few requests to an ADK server."""

    def __init__(self, base: str, app: str = "personalized_shopping", user: str = "u") -> None:
        self.base, self.app, self.user = base, app, user

    def is_up(self) -> bool:
        try:
            self.get("/list-apps")
        except (urllib.error.URLError, ConnectionError):
            return False
        return True

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.base + path, timeout=300) as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> str:
        request = urllib.request.Request(
            self.base + path, json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.read().decode()

    def open(self, session: str, state: dict[str, Any] | None = None) -> None:
        body = {"sessionId": session, "state": state or {}}
        self.post(f"/apps/{self.app}/users/{self.user}/sessions", body)

    def session(self, session: str) -> Any:
        return self.get(f"/apps/{self.app}/users/{self.user}/sessions/{session}")

    def run(self, session: str, *parts: Any, stream: bool = False) -> list[dict[str, Any]]:
        """Send a message and return the events; texts are made parts."""
        message = {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}
        body = {"appName": self.app, "userId": self.user, "sessionId": session, "newMessage": message}
        if not stream:
            return json.loads(self.post("/run", body))
        lines = self.post("/run_sse", body | {"streaming": True}).splitlines()
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def parts(events: list[dict[str, Any]], kind: str) -> list[Any]:
    """Return all parts of one kind (``text``, ``functionCall``, ``functionResponse``) of some events."""
    return [part[kind] for event in events for part in (event.get("content") or {}).get("parts", []) if kind in part]


def json_events(printed: str) -> list[dict[str, Any]]:
    """Return the events of ``adk run --jsonl``, which also prints where its log is."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def clean_environment(**more: str) -> dict[str, str]:
    """Return this process's environment without what configures models, stores and paths."""
    drop = (
        "MODEL_",
        "GOOGLE_",
        "GEMINI_",
        "CATALOG_",
        "SEARCH_",
        "NUM_PRODUCTS",
        "DATA_DIR",
        "ALLOW_",
        "SESSION_",
        "ARTIFACT_",
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(drop)}
    fixed = {
        "ADK_DISABLE_LOAD_DOTENV": "1",
        "ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS": "true",
        "PYTHONIOENCODING": "utf-8",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    return kept | fixed | more


def checkout(**env: str) -> Install:
    """Return the checkout, run with this interpreter."""
    return Install(sys.executable, ROOT, "personalized_shopping", clean_environment(**env))


def wheel(python: str, cwd: Path, **env: str) -> Install:
    """Return the package as it is installed for another interpreter, used from a directory of its own."""
    environment = clean_environment(**env)
    environment.pop("PYTHONPATH", None)
    code = "import personalized_shopping as p; print(p.__path__[0])"
    folder = subprocess.run([python, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True, check=True)
    return Install(python, cwd, folder.stdout.strip(), environment)
