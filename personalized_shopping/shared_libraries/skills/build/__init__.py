"""Building skills from a capture: templates and rules alone, no model."""

from personalized_shopping.shared_libraries.skills.build.skills import build_skills, domain_of

__all__ = ["build_skills", "domain_of"]
