"""How long `diva --help` takes, as a multiple of what Python needs to start: `python benchmarks/help.py`.

Wanted: under 0.15 s × (time of `python -c pass` ÷ 0.02 s), that is 7.5 times the start of Python on this machine.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from timing import medians

WANTED = 0.15 / 0.02
DIVA = Path(sys.executable).with_name("diva")


def run(*words: str) -> None:
    subprocess.run(words, capture_output=True, check=True)


def main() -> None:
    commands = {
        "python": (sys.executable, "-c", "pass"),
        "diva --help": (str(DIVA), "--help"),
        "diva anonymize --help": (str(DIVA), "anonymize", "--help"),
    }
    seconds = medians({name: lambda words=words: run(*words) for name, words in commands.items()}, 15)
    for name in list(commands)[1:]:
        ratio = seconds[name] / seconds["python"]
        print(
            f"{name}: {seconds[name] * 1000:.0f} ms, python -c pass {seconds['python'] * 1000:.0f} ms: ratio {ratio:.2f},"
            f" or {ratio * 0.02:.3f} s where Python starts in 0.02 s (ratio {WANTED} and 0.15 s wanted for diva --help)"
        )


if __name__ == "__main__":
    main()
