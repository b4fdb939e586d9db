"""The image without a container engine: exactly the files it would hold, its own commands, and its health check."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "deployment" / "Dockerfile"
CLOUD_RUN = ROOT / "deployment" / "cloud_run.sh"


def instructions():
    """Return the Dockerfile's instructions, continued lines joined, as (word, arguments)."""
    text = re.sub(r"\\\n", " ", DOCKERFILE.read_text(encoding="utf-8"))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(None, 1)) for line in lines]


def stages():
    """Return the instructions of each stage."""
    found = []
    for instruction in instructions():
        if instruction[0] == "FROM":
            found.append([])
        found[-1].append(instruction)
    return found


def ignored(path, patterns):
    """Tell whether .dockerignore leaves a path out; the last pattern that matches decides."""
    out = False
    for pattern in patterns:
        negated, pattern = pattern.startswith("!"), pattern.removeprefix("!")
        parts = path.split("/")
        heads = ["/".join(parts[: length + 1]) for length in range(len(parts))]
        if pattern.startswith("**/"):
            matched = any(fnmatch(part, pattern[3:]) for part in parts)
        else:
            matched = any(fnmatch(head, pattern) for head in heads)
        if matched:
            out = not negated
    return out


@pytest.fixture(scope="module")
def context():
    """The files of the build context, as paths from the root."""
    patterns = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    found = []
    for folder, names, files in os.walk(ROOT):
        names[:] = [name for name in names if name not in {".git", ".venv", "__pycache__", "node_modules"}]
        paths = [(Path(folder) / file).relative_to(ROOT).as_posix() for file in files]
        found += [path for path in paths if not ignored(path, patterns)]
    return found


@pytest.fixture(scope="module")
def source(tmp_path_factory, context):
    """The build stage's directory: what its COPY lines bring in, and nothing else."""
    target = tmp_path_factory.mktemp("src")
    build, _ = stages()
    for word, rest in build:
        if word != "COPY":
            continue
        *sources, destination = shlex.split(rest)
        for name in sources:
            files = [path for path in context if path == name or path.startswith(f"{name}/")]
            assert files, f"COPY {name}: .dockerignore leaves it out, or it does not exist"
            for path in files:
                inside = Path(path).relative_to(name) if path != name else Path()
                place = target / destination / (Path(name).name if destination.endswith("/") else "") / inside
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, place)
    return target


@pytest.fixture(scope="module")
def image(tmp_path_factory, source):
    """The installed package and the demo shop, made with the build stage's own commands."""
    target = tmp_path_factory.mktemp("image")
    build, _ = stages()
    commands = [shlex.split(rest) for word, rest in build if word == "RUN"]
    assert ["pip", "install", "--no-deps", "--no-build-isolation", "."] in commands
    assert commands[-1] == ["personalized-shopping", "catalog", "demo"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--target", str(target / "lib"), "."], cwd=source, check=True)
    clean = {"PATH": os.environ["PATH"], "PYTHONPATH": str(target / "lib"), "HOME": str(target / "home")}
    environment = {**clean, "DATA_DIR": str(target / "shop"), "ADK_DISABLE_LOAD_DOTENV": "1"}
    demo = [sys.executable, "-m", "personalized_shopping.cli", *commands[-1][1:]]
    subprocess.run(demo, cwd=target, env=environment, check=True, capture_output=True)
    return target, environment


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(port, path, tries=1):
    for attempt in range(tries):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return json.load(answer)
        except OSError:
            if attempt == tries - 1:
                raise
            time.sleep(0.1)  # the server is a process of its own: it can only be asked again
    raise AssertionError("unreachable")


@pytest.mark.process
def test_the_start_command_serves_from_what_the_image_holds(image):
    target, environment = image
    (start,) = [json.loads(rest) for word, rest in stages()[-1] if word == "CMD"]
    assert start[0] == "python"
    port = free_port()
    log = (target / "log").open("w")
    server = subprocess.Popen(
        [sys.executable, *start[1:]],
        cwd=target,
        env={**environment, "PORT": str(port), "HOST": "127.0.0.1"},
        stdout=log,
        stderr=log,
    )
    try:
        assert get(port, "/healthz", tries=1_200) == {"status": "ok"}
        assert get(port, "/list-apps") == ["personalized_shopping"]
        (check,) = [rest for word, rest in stages()[-1] if word == "HEALTHCHECK"]
        program = json.loads(check.partition("CMD")[2])
        probe = [sys.executable, *program[1:]]
        assert subprocess.run(probe, env={**environment, "PORT": str(port)}, check=False).returncode == 0
        nobody = {**environment, "PORT": str(free_port())}
        assert subprocess.run(probe, env=nobody, check=False, capture_output=True).returncode != 0
    finally:
        server.terminate()
        server.wait(timeout=120)
        log.close()
    assert "Traceback" not in (target / "log").read_text()


def test_the_image_runs_without_root_java_or_secrets(context):
    last = stages()[-1]
    assert ("USER", "shop") in last
    assert [word for word, _ in last].index("USER") < [word for word, _ in last].index("CMD")
    assert "java" not in " ".join(rest for _, rest in instructions()).lower().replace("no java", "")
    assert not [path for path in context if Path(path).name == ".env" or "/.adk/" in path or path.startswith("tests/")]


def cloud_run(*arguments, **environment):
    clean = {"PATH": os.environ["PATH"], **environment}
    return subprocess.run(["bash", str(CLOUD_RUN), *arguments], env=clean, capture_output=True, text=True, check=False)


def test_cloud_run_prints_its_command():
    done = cloud_run(
        "--image", "an/image", "--project", "p", "--env", "MODEL_NAME=gemini-x,y", "--env", "NUM_PRODUCTS=all",
        "--secret", "GOOGLE_API_KEY=gemini-key:latest", "--dry-run",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    words = shlex.split(done.stdout)
    assert words[:4] == ["gcloud", "run", "deploy", "personalized-shopping"]
    assert "--no-allow-unauthenticated" in words
    assert words[words.index("--set-env-vars") + 1] == "^##^MODEL_NAME=gemini-x,y##NUM_PRODUCTS=all"
    assert words[words.index("--set-secrets") + 1] == "GOOGLE_API_KEY=gemini-key:latest"
    assert "httpGet.path=/healthz" in done.stdout


def test_cloud_run_runs_gcloud_with_the_same_words(tmp_path):
    spy = tmp_path / "gcloud"
    spy.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    spy.chmod(0o755)
    arguments = ["--image", "i", "--project", "p", "--public"]
    ran = cloud_run(*arguments, PATH=f"{tmp_path}:{os.environ['PATH']}")
    dry = cloud_run(*arguments, "--dry-run")
    assert ["gcloud", *ran.stdout.splitlines()] == shlex.split(dry.stdout)
    assert "--allow-unauthenticated" in ran.stdout.splitlines()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "--image is needed"),
        (["--image", "i"], 2, "--project is needed"),
        (["--image"], 2, "--image needs a value"),
        (["--image", "i", "--env", "NAME"], 2, "NAME=VALUE"),
        (["--image", "i", "--secret", "A=b"], 2, "NAME=SECRET:VERSION"),
        (["--nonsense"], 2, "no option --nonsense"),
    ],
)
def test_cloud_run_tells_what_is_wrong(arguments, code, words):
    done = cloud_run(*arguments)
    assert done.returncode == code
    assert words in done.stderr


def test_cloud_run_help_is_the_comment_at_its_top():
    done = cloud_run("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Deploy the server to Cloud Run.")
    assert "set -euo" not in done.stdout
