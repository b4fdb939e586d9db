"""`adk web` with the eval sets of a folder of ours in its Evals tab, and our metrics beside ADK's own.

ADK's UI looks for eval sets inside the agent's package, which is no place for them: the package is installed, and its
wheel would carry them.
"""

from pathlib import Path

from google.adk.cli import fast_api
from google.adk.evaluation.eval_config import EvalConfig
from google.adk.evaluation.local_eval_set_results_manager import LocalEvalSetResultsManager
from google.adk.evaluation.local_eval_sets_manager import LocalEvalSetsManager

_SUFFIX = ".evalset.json"
_HISTORY = Path(".adk") / "eval_history"


class FolderOfEvalSets(LocalEvalSetsManager):
    """Eval sets that lie in one folder, whatever the app's name; what is edited in the browser is written there."""

    def __init__(self, folder: Path) -> None:
        super().__init__(agents_dir=str(folder.parent))
        self._folder = folder

    def list_eval_sets(self, app_name: str) -> list[str]:
        """Return the names of the eval sets."""
        return sorted(path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}"))

    def _get_eval_set_file_path(self, app_name: str, eval_set_id: str) -> str:
        checked = Path(super()._get_eval_set_file_path(app_name, eval_set_id))
        return str(self._folder / checked.name)


class FolderOfResults(LocalEvalSetResultsManager):
    """What runs in the browser gave, kept beside the eval sets."""

    def __init__(self, folder: Path) -> None:
        super().__init__(agents_dir=str(folder.parent))
        self._folder = folder

    def _get_eval_history_dir(self, app_name: str) -> str:
        return str(self._folder / _HISTORY)


def use_folder(folder: Path) -> None:
    """Make the servers that ADK builds in this process show the eval sets of a folder."""
    # ADK looks these names up when it builds a server, so that they can be replaced.
    vars(fast_api)["LocalEvalSetsManager"] = lambda agents_dir: FolderOfEvalSets(folder)
    vars(fast_api)["LocalEvalSetResultsManager"] = lambda agents_dir: FolderOfResults(folder)


def offer_metrics(folder: Path) -> list[str]:
    """Make the custom metrics of a folder's configs known to ADK, and return their names.

    Raises:
        ModuleNotFoundError: when what evaluation needs is not installed.
    """
    from google.adk.evaluation.metric_evaluator_registry import register_custom_metrics_from_config

    names: set[str] = set()
    for path in sorted({*folder.glob("*.config.json"), *folder.glob("test_config.json")}):
        config = EvalConfig.model_validate_json(path.read_text(encoding="utf-8"))
        register_custom_metrics_from_config(config)
        names.update(config.custom_metrics or {})
    return sorted(names)
