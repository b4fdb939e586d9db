"""Trajectories: an append-only log per run, and everything that is made from it. Usable without ADK."""

from personalized_shopping.shared_libraries.trajectory.execution import (
    execution_trajectory,
    write_execution_trajectory,
)
from personalized_shopping.shared_libraries.trajectory.finish import finish_session
from personalized_shopping.shared_libraries.trajectory.log import health
from personalized_shopping.shared_libraries.trajectory.reader import RunLog, read_log
from personalized_shopping.shared_libraries.trajectory.recorder import RenderedPage, Run, failure
from personalized_shopping.shared_libraries.trajectory.records import (
    Artifact,
    Confirmation,
    Decision,
    Failure,
    ModelCall,
    ModelRequest,
    Outcome,
    Plan,
    Problem,
    Record,
    RunEnd,
    RunStart,
    ShopEntered,
    StateChange,
    ToolCall,
    ToolEnd,
    ToolStart,
    Usage,
    UserMessage,
)
from personalized_shopping.shared_libraries.trajectory.session import (
    Action,
    SessionTrajectory,
    Step,
    find_session,
    read_session,
)

__all__ = [
    "Action",
    "Artifact",
    "Confirmation",
    "Decision",
    "Failure",
    "ModelCall",
    "ModelRequest",
    "Outcome",
    "Plan",
    "Problem",
    "Record",
    "RenderedPage",
    "Run",
    "RunEnd",
    "RunLog",
    "RunStart",
    "SessionTrajectory",
    "ShopEntered",
    "StateChange",
    "Step",
    "ToolCall",
    "ToolEnd",
    "ToolStart",
    "Usage",
    "UserMessage",
    "execution_trajectory",
    "failure",
    "find_session",
    "finish_session",
    "health",
    "read_log",
    "read_session",
    "write_execution_trajectory",
]
