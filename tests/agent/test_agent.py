"""The agent itself: how it is put together, what importing it costs, and what reaches its model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from google.genai import types

from personalized_shopping.agent import app, root_agent
from personalized_shopping.prompts import load_prompt
from tests.agent.helpers import Chat, search

ROOT = Path(__file__).resolve().parents[2]


def python(code: str) -> str:
    """Run code in a fresh interpreter at the repository's root and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names_that_adk_and_its_users_rely_on() -> None:
    assert root_agent.name == "personalized_shopping_agent"
    assert app.name == "personalized_shopping"
    assert [tool.name for tool in root_agent.tools] == ["search", "click", "list_skills", "use_skill"]


def test_what_the_model_is_told_about_the_tools_holds_nothing_internal() -> None:
    arguments = (["keywords"], ["button_name"], ["query"], ["skill_id", "args"])
    for tool, names in zip(root_agent.tools, arguments, strict=True):
        declaration = tool._get_declaration()
        schema = declaration.parameters_json_schema or declaration.parameters.model_dump(exclude_none=True)
        assert list(schema["properties"]) == names
        assert "tool_context" not in json.dumps(schema) + declaration.description


def test_the_prompt_names_every_step_and_every_turn_that_goes_wrong() -> None:
    prompt = load_prompt("shopping")
    words = "picture; Description; Features; Reviews; < Prev; Back to Search; Buy Now; Nothing fits; error; instruction"
    assert [word for word in words.split("; ") if word not in prompt] == []
    with pytest.raises(FileNotFoundError):
        load_prompt("no-such-prompt")


def test_importing_the_package_loads_neither_adk_nor_the_agent() -> None:
    printed = python(
        "import sys, personalized_shopping as p\n"
        "heavy = ('google.adk', 'google.genai', 'numpy', 'personalized_shopping.')\n"
        "print([m for m in sys.modules if m.startswith(heavy)])\n"
        "assert p.app.root_agent is p.root_agent is p.agent.root_agent\n"
        "assert not hasattr(p, 'nonsense')\n"
    )
    assert printed.splitlines()[0] == "[]"


def test_importing_the_agent_opens_no_catalogue_and_little_beyond_adk(tmp_path: Path) -> None:
    printed = python(
        "import os, sys, time\n"
        f"os.environ['CATALOG_PATH'] = {str(tmp_path / 'missing')!r}\n"
        "os.environ['MODEL_NAME'] = 'offline/shopper'\n"
        "from google.adk.agents import Agent; from google.adk.apps import App\n"
        "start = time.process_time()\n"
        "import personalized_shopping.agent\n"
        "print(time.process_time() - start)\n"
        "print([m for m in ('numpy', 'litellm', 'jnius', 'flask', 'gymnasium', 'spacy') if m in sys.modules])\n"
        "from personalized_shopping.shared_libraries import init_env; print(init_env._opened)\n"
    )
    seconds, loaded, opened = printed.splitlines()
    assert float(seconds) < 0.6, "0.3 s is the promise on an idle machine; this is CPU time on a busy one"
    assert loaded == "[]"
    assert opened == "{}"


def test_the_package_under_another_name_is_the_same_agent_and_the_same_shop() -> None:
    printed = python(
        "import importlib.util, sys\n"
        "spec = importlib.util.spec_from_file_location('agent', 'personalized_shopping/__init__.py')\n"
        "sys.path[:] = [p for p in sys.path if p not in ('', '.')]\n"
        "module = importlib.util.module_from_spec(spec); sys.modules['agent'] = module\n"
        "spec.loader.exec_module(module)\n"
        "loaded = module.agent\n"
        "import personalized_shopping.agent\n"
        "print(loaded is personalized_shopping.agent, loaded.app is module.app)\n"
        "print([m for m in sys.modules if m.startswith('agent.')], 'personalized_shopping.session' in sys.modules)\n"
    )
    assert printed.splitlines() == ["True True", "[] True"]


@pytest.mark.usefixtures("shop")
async def test_an_uploaded_picture_reaches_the_model_as_an_image() -> None:
    picture = types.Part.from_bytes(data=b"\x89PNG picture", mime_type="image/png")
    chat = Chat(search("denim"), "found")
    await chat.say(types.Content(role="user", parts=[types.Part(text="something like this"), picture]))
    for request in chat.llm.requests:
        parts = [part for content in request.contents for part in content.parts]
        [image] = [part.inline_data for part in parts if part.inline_data]
        assert (image.mime_type, image.data) == ("image/png", b"\x89PNG picture")
