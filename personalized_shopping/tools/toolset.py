"""The library as ADK's ``SkillToolset``: the standard way in which agents find and load skills.

Its own ``list_skills`` would hide ours, so the two are never offered together.
"""

import tempfile
from pathlib import Path

from google.adk.skills import load_skill_from_dir
from google.adk.tools.skill_toolset import SkillDiscoveryMode, SkillToolset

from personalized_shopping.shared_libraries.skills.agent_skills import export_agent_skills
from personalized_shopping.shared_libraries.skills.shared import get_library
from personalized_shopping.tools.skills import DOMAIN


def skill_toolset() -> SkillToolset:
    """Return a toolset of the shop's verified skills; each tells the model to call ``use_skill``."""
    skills = get_library().list(DOMAIN, ["verified"])
    with tempfile.TemporaryDirectory() as directory:
        folders = export_agent_skills(skills, Path(directory))
        loaded = [load_skill_from_dir(folder) for folder in folders]
    return SkillToolset(loaded, discovery_mode=SkillDiscoveryMode.LAZY)
