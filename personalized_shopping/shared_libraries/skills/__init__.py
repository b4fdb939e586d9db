"""Skills: S = (Preconditions, Program). Captured from a page, verified, run in a sandbox. Usable without ADK."""
