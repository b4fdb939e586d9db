"""A session, and a list of sessions, as lines for a terminal."""

import difflib

from personalized_shopping.cli.terminal import one_line, printable
from personalized_shopping.shared_libraries.trajectory import SessionTrajectory, Step
from personalized_shopping.shared_libraries.trajectory.summary import SessionSummary

HEADER = ("ENDED (UTC)", "STATUS", "STEPS", "TOKENS", "REWARD", "SESSION", "TASK")
_INSTRUCTION_CHARS = 60
_RESULT_CHARS = 160
_DIFF_LINES = 60


def summary_row(summary: SessionSummary) -> tuple[str, ...]:
    """Return a summary as the cells of ``HEADER``."""
    reward = "" if summary.reward is None else f"{summary.reward:.2f}"
    bought = "bought: " if summary.bought else ""
    return (
        summary.ended[:19].replace("T", " "),
        summary.status,
        str(summary.steps),
        str(summary.tokens),
        reward,
        one_line(summary.session_id),
        bought + one_line(summary.instruction, _INSTRUCTION_CHARS),
    )


def session_lines(session: SessionTrajectory) -> list[str]:
    """Return a session step by step."""
    start = session.start
    lines = [
        f"session   {one_line(start.session)}",
        f"task      {one_line(session.instruction, 400)}",
        f"model     {one_line(session.model or '-')}",
        f"status    {session.status}",
        f"tokens    {sum(usage.total for step in session.steps for usage in step.agent_usages)}",
        f"duration  {session.duration_s:.2f} s",
        f"files     {session.directory}",
    ]
    if session.reward is not None:
        lines.append(f"reward    {session.reward}")
    lines += [f"bought    {one_line(str(action.purchase))}" for action in session.purchases]
    for run in session.runs:
        message = one_line(run.user_message.text, 400) if run.user_message else "(answers a question)"
        lines += ["", f"> {message}    [{run.status}, {run.time[:19].replace('T', ' ')} UTC]"]
        if run.error is not None:
            lines.append(f"  ! {one_line(run.error.type)}: {one_line(run.error.message, 400)}")
        for step in session.steps:
            if step.run == run.index:
                lines += _step_lines(step)
    return lines


def _step_lines(step: Step) -> list[str]:
    usage = sum(usage.total for usage in step.agent_usages)
    lines = [f"  {step.index:>3}  {step.duration_s:6.2f} s  {usage:>6} tokens"]
    lines += [
        f"       ! {one_line(error.type)}: {one_line(error.message, _RESULT_CHARS)}" for _, error, _ in step.errors
    ]
    if step.response:
        lines.append(f"       {one_line(step.response, 600)}")
    for action in step.actions:
        lines.append(f"       {one_line(action.text, 200)}  -> {action.outcome or 'unknown'}")
        for decision in action.decisions:
            why = one_line(", ".join(decision.violated_policy_ids))
            lines.append(f"         {decision.decision} by {one_line(decision.source)} {why}".rstrip())
    return lines


def difference_lines(before: str, after: str) -> list[str]:
    """Return how two accessibility trees differ."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "recorded", "now", n=1, lineterm="")
    return [printable(line) for line in lines][:_DIFF_LINES]
