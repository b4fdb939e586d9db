"""`settings`: every setting, its value here, its default and meaning."""

import os

import click

from personalized_shopping import config
from personalized_shopping.cli.output import emit, emit_json, json_option, table


@click.command()
@click.option("--markdown", is_flag=True, help="Print the table as Markdown, as the README shows it.")
@click.option("--env", "as_env", is_flag=True, help="Print it as an `.env` file with every line commented out.")
@json_option
def settings(markdown: bool, as_env: bool, as_json: bool) -> None:
    """List every setting (an environment variable, or a line of `.env`), its value here and its meaning.

    The value of a secret is never shown, only whether there is one.
    """
    if as_json:
        emit_json([_described(setting) for setting in config.SETTINGS])
    elif markdown:
        lines = ["| setting | default | meaning |", "| --- | --- | --- |"]
        for setting in config.SETTINGS:
            lines.append(
                f"| `{setting.name}` | {f'`{setting.default}`' if setting.default else ''} | {setting.meaning} |"
            )
        emit("\n".join(lines))
    elif as_env:
        emit(env_file())
    else:
        rows = [(setting.name, _shown(setting) or "-", setting.meaning) for setting in config.SETTINGS]
        emit(table(rows, header=("SETTING", "VALUE", "MEANING")))


def env_file() -> str:
    """Return the text of an `.env` file that names every setting and sets none."""
    lines = [
        "# Copy this file to .env and uncomment what you want to change. A variable of the environment wins over it.",
    ]
    for setting in config.SETTINGS:
        lines += ["", f"# {setting.meaning}", f"#{setting.name}={setting.default}"]
    return "\n".join(lines)


def _shown(setting: config.Setting) -> str:
    if setting.secret:
        return "(set)" if os.environ.get(setting.name, "").strip() else ""
    return config.setting(setting.name)


def _described(setting: config.Setting) -> dict[str, object]:
    return {
        "name": setting.name,
        "value": _shown(setting),
        "default": setting.default,
        "set": bool(os.environ.get(setting.name, "").strip()),
        "secret": setting.secret,
        "meaning": setting.meaning,
    }
