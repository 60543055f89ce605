"""The command line: a thin shell over the public functions."""

from __future__ import annotations

import sys

from diva.cli.streams import emit, prepare, tell

HELP = """\
Usage: diva COMMAND [OPTIONS]

Publish a table about people so that nobody can be singled out and nobody disappears.

Commands:
  anonymize    Publish a table: every record hides among at least k alike, every constraint holds.
  run          Carry out a job that is declared in a TOML file.
  decide       Can it be done? If not, why, and what would do.
  check        Does a table satisfy constraints? (--sql prints the queries)
  verify       Is a file a sound release? Recomputed from files alone.
  constraints  Ask about constraints: imply, satisfiable, cover, graph; or generate them.
  datasets     Public tables to try things out on: list, get.
  experiments  The paper's experiments: list, run.

Options:
  --version    Print the version.
  --debug      With any command: show tracebacks.
  -h, --help   Show this message; with a command, its options.

Exit codes: 0 done, 2 bad input, 3 unsatisfiable, 4 a check failed, 5 the solver gave up, 130 interrupted.

  diva anonymize patients.csv -o release.csv --qi GEN,ETH,AGE,PRV,CTY --sensitive DIAG --id ID \\
       --k 2 -c "ETH[Asian] in 2..5"
"""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit. Help is answered here, before anything else is loaded."""
    given = arguments
    arguments = sys.argv[1:] if arguments is None else arguments
    prepare()
    try:
        if [a for a in arguments if a != "--debug"] in ([], ["-h"], ["--help"]):
            emit(HELP)
            sys.exit(0)
        if given is None:
            from diva.cli.concealed import conceal  # noqa: PLC0415 - only where something is to be done

            conceal()
        from diva.cli.app import main as run  # noqa: PLC0415 - see above

        run(arguments)
    except OSError as error:
        tell(f"diva: can't print the help: {error.strerror}; send stdout elsewhere\n")
        sys.exit(2)
    except KeyboardInterrupt:
        from diva.cli.interruption import sentence  # noqa: PLC0415

        tell(f"diva: {sentence()}\n")
        sys.exit(130)
