"""`rosenblatt completion`: the script that makes a shell complete commands and options."""

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog='For example: eval "$(rosenblatt completion bash)"  # in ~/.bashrc')
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script that makes SHELL complete commands and options. Load it when the shell starts: bash and zsh by
    eval in ~/.bashrc or, after compinit, in ~/.zshrc; fish from ~/.config/fish/completions/rosenblatt.fish.
    """
    from click.shell_completion import get_completion_class

    from rosenblatt.cli.app import NAME, program

    shell_class = get_completion_class(shell)
    assert shell_class is not None
    script = shell_class(program, {}, NAME, f"_{NAME.upper()}_COMPLETE")
    click.echo(script.source_template % script.source_vars())
