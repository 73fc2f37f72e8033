"""`rosenblatt completion`: what makes the shell complete our commands and options."""

import click

SHELLS = ("bash", "zsh", "fish")
WHERE = {
    "bash": 'eval "$(rosenblatt completion bash)"  # in ~/.bashrc',
    "zsh": 'eval "$(rosenblatt completion zsh)"  # in ~/.zshrc, after compinit',
    "fish": "rosenblatt completion fish > ~/.config/fish/completions/rosenblatt.fish",
}


@click.command("completion", epilog="For example: " + WHERE["bash"])
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print what makes SHELL complete commands and options; put it where the shell looks when it starts."""
    from click.shell_completion import get_completion_class

    from rosenblatt.cli import cli

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(cli, {}, "rosenblatt", "_ROSENBLATT_COMPLETE")
    click.echo(script.source_template % script.source_vars())
