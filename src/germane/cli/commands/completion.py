"""`germane completion`: the script that enables tab completion in a shell."""

from __future__ import annotations

import click

from germane.cli.shell.command_class import make_command

SHELLS = ("bash", "zsh", "fish")


@make_command(
    "completion",
    "germane completion bash > germane-completion.bash",
    "germane completion zsh > _germane",
    "germane completion fish > germane.fish",
)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script for tab completion in SHELL: commands, options, choices, files, and names such as measures.

    \b
    Where to save it:
      bash  ~/.local/share/bash-completion/completions/germane
      zsh   a file called _germane in a folder of $fpath, such as ~/.zfunc
      fish  ~/.config/fish/completions/germane.fish

    For the current shell only: eval "$(germane completion bash)". The bash script needs bash 4.4 or newer.
    """
    from click.shell_completion import get_completion_class

    from germane.cli import group

    found = get_completion_class(shell)
    assert found is not None
    script = found(group, {}, "germane", "_GERMANE_COMPLETE")
    click.echo(script.source_template % script.source_vars())
