"""SIGKILL at random moments of runs that overwrite a release: `python benchmarks/kills.py 200`.

After each kill the release must be the old one or the new one, whole. Prints how often it was which.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.cli.shell import PATIENTS, diva
from tests.cli.test_faults import RUN, kill_once

OLD = b"the old release\n"


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "patients.csv").write_text(PATIENTS, encoding="utf-8")
        diva(*RUN, "--seed", "1", folder=folder)
        began = time.monotonic()
        assert diva(*RUN, "--seed", "1", folder=folder).code == 0
        usual = time.monotonic() - began
        new = (folder / "out.csv").read_bytes()
        chance = random.Random(0)
        found = {OLD: 0, new: 0}
        for _ in range(kills):
            (folder / "out.csv").write_bytes(OLD)
            kill_once(folder, chance.uniform(0.5, 1.02) * usual)
            found[(folder / "out.csv").read_bytes()] += 1
        assert diva(*RUN, "--seed", "1", folder=folder).code == 0
        left = sorted(p.name for p in folder.iterdir())
        print(
            f"{kills} kills: the old release {found[OLD]} times, the new one {found[new]} times, nothing else; left behind: {left}"
        )


if __name__ == "__main__":
    main()
