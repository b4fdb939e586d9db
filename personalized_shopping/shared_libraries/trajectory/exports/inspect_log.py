"""Sessions as a log of Inspect AI, for ``inspect view`` and all else that reads ``.eval`` files."""

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory.exports.common import present, storable
from personalized_shopping.shared_libraries.trajectory.exports.inspect_events import NO_MODEL, model_usage
from personalized_shopping.shared_libraries.trajectory.exports.inspect_sample import InspectSample
from personalized_shopping.shared_libraries.trajectory.layout import file_name
from personalized_shopping.shared_libraries.trajectory.records import Usage
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory

_METRICS = {"reward": "mean", "success": "accuracy"}
_LOG_VERSION = 2
_FILE_NAME = re.compile(r"\w[\w.:@ -]{0,199}")


def inspect_log(sessions: Sequence[SessionTrajectory]) -> bytes:
    """Return sessions as the content of one ``.eval`` file, each as a sample.

    A sample is called like its task, or else like its session; sessions of the same task are its epochs.

    Raises:
        TrajectoryError: when Inspect AI is not installed, or does not take what a session holds.
    """
    try:
        from inspect_ai.log import EvalLog, write_eval_log
    except ImportError:
        raise TrajectoryError(
            "An Inspect log needs the extra `inspect`: pip install 'personalized-shopping[inspect]'."
        ) from None
    document = storable(log_document(sessions))
    try:
        log = EvalLog.model_validate(document)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "log.eval")
            write_eval_log(log, path, format="eval")
            return path.read_bytes()
    except ValueError as error:  # pydantic's ValidationError is one
        raise TrajectoryError(f"Inspect AI does not take this session: {error}") from None


def log_document(sessions: Sequence[SessionTrajectory]) -> dict[str, Any]:
    """Return the log as JSON, in the second version of Inspect's format.

    Raises:
        TrajectoryError: without any session.
    """
    if not sessions:
        raise TrajectoryError("There is no session to export.")
    samples = [InspectSample(session) for session in sessions]
    tries: Counter[str] = Counter()
    documents = []
    for sample in samples:
        name = _sample_id(sample.session)
        tries[name] += 1
        documents.append(sample.document(name, tries[name]))
    return {
        "version": _LOG_VERSION,
        "status": "success",
        "eval": _spec(sessions, tries),
        "plan": {"name": "shopping", "steps": []},
        "results": _results(samples),
        "stats": {
            "started_at": min(session.runs[0].time for session in sessions),
            "completed_at": max(session.runs[-1].end_time for session in sessions),
            "model_usage": _sums([sample.story.usages for sample in samples]),
            "role_usage": _sums([sample.story.guard_usages for sample in samples]),
        },
        "samples": documents,
    }


def _sample_id(session: SessionTrajectory) -> str:
    """Return a sample's name. It becomes a file's name in the log, and a task's id may be any text."""
    wanted = str(session.start.task.get("task_id") or session.start.session)
    if _FILE_NAME.fullmatch(wanted):
        return wanted
    return f"{file_name(wanted)}-{hashlib.sha256(wanted.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _spec(sessions: Sequence[SessionTrajectory], tries: Counter[str]) -> dict[str, Any]:
    # The same sessions make the same log, so that a second export does not look like another evaluation.
    digest = hashlib.sha256("\n".join(session.directory.name for session in sessions).encode()).hexdigest()[:22]
    start = sessions[0].start
    models = sorted({session.model for session in sessions if session.model})
    scored = any(session.reward is not None for session in sessions)
    return present(
        eval_id=digest,
        run_id=digest,
        created=min(session.runs[0].time for session in sessions),
        task=start.app,
        task_id=start.app,
        dataset=present(
            name=next((session.goal_kind for session in sessions if session.goal_kind), None),
            samples=len(tries),
            sample_ids=list(tries),
        ),
        # Each sample names the model that answered it.
        model=models[0] if models else NO_MODEL,
        config={"epochs": max(tries.values())},
        packages={"personalized-shopping": start.versions["package"]} if start.versions.get("package") else None,
        metadata={"models": models} if len(models) > 1 else None,
        scorers=[{"name": name} for name in _METRICS] if scored else None,
    )


def _results(samples: Sequence[InspectSample]) -> dict[str, Any]:
    scored = [scores for sample in samples if (scores := sample.scores())]
    means = {
        "reward": [scores["reward"]["value"] for scores in scored],
        "success": [float(scores["success"]["value"] == "C") for scores in scored],
    }
    return {
        "total_samples": len(samples),
        "completed_samples": len(samples),
        "scores": [
            {
                "name": name,
                "scorer": name,
                "scored_samples": len(values),
                "unscored_samples": len(samples) - len(values),
                "metrics": {_METRICS[name]: {"name": _METRICS[name], "value": sum(values) / len(values)}},
            }
            for name, values in means.items()
            if values
        ],
    }


def _sums(spent: list[dict[str, list[Usage]]]) -> dict[str, Any]:
    """Return the tokens of all samples, by model or guard."""
    gathered: dict[str, list[Usage]] = {}
    for sample in spent:
        for name, usages in sample.items():
            gathered.setdefault(name, []).extend(usages)
    return {name: model_usage(usages) for name, usages in gathered.items()}
