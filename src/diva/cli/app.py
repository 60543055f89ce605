"""The command `diva`: its commands, and how errors and interruptions end it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from diva.cli import (
    anonymize,
    check,
    constraints,
    datasets,
    decide,
    experiments,
    interruption,
    run,
    show,
    verify,
)
from diva.cli.streams import forget, tell
from diva.errors import DivaError, Interrupted
from diva.version import __version__

app = typer.Typer(
    name="diva",
    help="Publish a table about people so that nobody can be singled out and nobody disappears.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("anonymize")(anonymize.command)
app.command("run")(run.command)
app.command("decide")(decide.command)
app.command("check")(check.command)
app.command("verify")(verify.command)
app.add_typer(constraints.app, name="constraints")
app.add_typer(datasets.app, name="datasets")
app.add_typer(experiments.app, name="experiments")


@app.callback(invoke_without_command=True)
def _common(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,  # noqa: FBT002 - a flag of the command line
) -> None:
    if version:
        show.line(f"diva {__version__}")
        raise typer.Exit


def main(arguments: list[str]) -> None:
    """Run the command line and exit: 0 done, 2 bad input, 3 unsatisfiable, 4 a check failed, 5 the solver gave up, 130 interrupted."""
    sys.exit(_run(arguments))


def _run(arguments: list[str]) -> int:
    debug = "--debug" in arguments
    interruption.install()
    try:
        result = app(args=[a for a in arguments if a != "--debug"], prog_name="diva", standalone_mode=False)
    except DivaError as error:
        return _failed(error, str(error), error.exit_code, debug=debug)
    except typer.Abort:
        result = Interrupted.exit_code
    except typer.TyperException as error:
        return _failed(error, _usage(error), 2, debug=debug)
    except MemoryError as error:
        return _failed(
            error, "not enough memory; close other programs or use a machine with more", 2, debug=debug
        )
    except OSError as error:
        return _failed(error, _refused(error), 2, debug=debug)
    except RecursionError as error:
        return _failed(error, "the input is nested too deeply", 2, debug=debug)
    except Exception as error:  # noqa: BLE001 - the edge of the program: nobody should see a traceback they didn't ask for
        interruption.check()
        return _failed(
            error, f"an error in diva itself ({type(error).__name__}); --debug shows where", 1, debug=debug
        )
    if result == Interrupted.exit_code:  # typer has caught the KeyboardInterrupt
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _refused(error: OSError) -> str:
    """What the system refused. Files are dealt with where they are used, so it is stdout unless a file is named."""
    reason = error.strerror or "the system refused"
    if error.filename is not None:
        return f"can't use {str(error.filename)!r}: {reason}"
    forget()
    return f"can't print the result: {reason}; send stdout elsewhere"


def _usage(error: typer.TyperException) -> str:
    """What is wrong with the command line, as one sentence, and where its help is."""
    tell = getattr(error, "format_message", lambda: str(error))
    context = getattr(error, "ctx", None)
    hint = f"; see {context.command_path} --help" if context is not None else ""
    return " ".join(tell().split()).rstrip(".") + hint


def _failed(error: BaseException, sentence: str, code: int, *, debug: bool) -> int:
    if debug:
        import traceback  # noqa: PLC0415 - only for --debug

        traceback.print_exception(error)
    tell(f"diva: {sentence}\n")
    return code
