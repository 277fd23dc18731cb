"""``docs/reference/commands.md``: every command with every option."""

from __future__ import annotations

import inspect

import click

from docs.examples import run_germane
from docs.reference_pages.markdown import GENERATED, as_markdown, escaped
from germane.cli import COMMANDS, CONTEXT, group
from germane.output.plots.kinds import DECISION_PLOTS, PLOTS


def commands_page() -> str:
    """Every command with every option."""
    intro = (
        "Judgments come first, then runs. Results go to standard output, everything else to standard error. Exit\n"
        "status: 0 success, 1 a gate given on the command line failed, 2 the command or its input was wrong\n"
        "(`trec_eval` has its own codes; see [Errors](errors.md#exit-status)).\n"
    )
    context = click.Context(group, info_name="germane", **CONTEXT)
    parts = ["# Commands\n\n", GENERATED, intro]
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        parts.append(_command_section(command, context, name))
    return "".join(parts)


def _command_section(command: click.Command, parent: click.Context, name: str) -> str:
    context = click.Context(command, info_name=name, parent=parent, **CONTEXT)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    text = inspect.cleandoc(command.help or "")
    if name == "trec_eval":  # it takes its arguments as they are, and prints its own help
        usage, options = "", f"\n```text\n{_trec_eval_help()}```\n"
    else:
        options = _options_table(command) + (_plots_table() if name == "plot" else "")
    parts = [f"\n## germane {context.command_path.removeprefix('germane ')}\n\n"]
    parts.append(f"```text\n{usage}\n```\n\n" if usage else "")
    examples = "\n".join(getattr(command, "examples", ()))
    shown = f"\n```sh\n{examples}\n```\n" if examples else ""
    parts.append(f"{as_markdown(text)}\n{shown}{options}")
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            parts.append(_command_section(found, context, child))
    return "".join(parts)


def _plots_table() -> str:
    """Return the kinds of figures; kinds of one name may exist for both kinds of data."""
    rows = ["", "| kind | data | shows |", "| --- | --- | --- |"]
    for of, plots in (("QRELS RUN...", PLOTS), ("DATA", DECISION_PLOTS)):
        rows += [f"| `{kind}` | {of} | {escaped(plot.help)} |" for kind, plot in plots.items()]
    return "\n".join(rows) + "\n"


def _options_table(command: click.Command) -> str:
    options = [param for param in command.params if isinstance(param, click.Option)]
    if not options:
        return ""
    rows = ["", "| option | meaning |", "| --- | --- |"]
    for option in options:
        text = escaped(" ".join((option.help or "").split()))
        text += " Required." if option.required else ""
        if option.show_default and option.default is not None:
            default = option.default if isinstance(option.default, tuple) else (option.default,)
            text += f" Default: `{' '.join(map(str, default))}`."
        spelled = ", ".join([*option.opts, *option.secondary_opts])
        rows.append(f"| `{spelled}{_value_of(option)}` | {text} |")
    return "\n".join(rows) + "\n"


def _value_of(option: click.Option) -> str:
    """Return the placeholder after an option's name; click's own differ between its versions."""
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return " " + "\\|".join(map(str, option.type.choices))
    return " " + (option.metavar or ("TEXT" if option.type is click.STRING else "NUMBER")).replace("|", "\\|")


def _trec_eval_help() -> str:
    return run_germane(["trec_eval", "--help"])[0]
