"""Many QI columns: the whole command at `standard` against the baselines on the same rows; stars, seconds, CPU seconds, memory.

    python benchmarks/columns.py [--only adult-14 census-22 census-40] [--k 20] [--sample 5000]

Adult (UCI) with all columns but the income, also the survey weight; Census with 22 columns that people know of each other; and
Census with all 40 but the survey weight and the income. Mondrian runs on all rows, k-member and OKA on a sample
(they are quadratic), on which everybody runs again. Every release is verified by the command that writes it, every plan by
`Problem.flaws`. Tables come from the folder DIVA_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from data import CENSUS, FOLDER, require
from diva.lattice.problem import Problem
from diva.relation.duck import open_table
from diva.relation.engine import Fragments
from diva.relation.types import distinct_rows
from diva.solve.anonymizers import Name, anonymizer
from diva.solve.lattice import search

CENSUS_22 = (
    "age", "class_of_worker", "education", "enroll_in_edu_inst_last_wk", "marital_stat", "major_industry_code",
    "major_occupation_code", "race", "hispanic_origin", "sex", "member_of_a_labor_union", "full_or_part_time_employment_stat",
    "tax_filer_stat", "state_of_previous_residence", "detailed_household_and_family_stat", "live_in_this_house_1_year_ago",
    "num_persons_worked_for_employer", "country_of_birth_father", "country_of_birth_mother", "country_of_birth_self",
    "citizenship", "own_business_or_self_employed",
)  # fmt: skip
CASES: dict[str, tuple[Path, Callable[[str], bool]]] = {
    "adult-14": (FOLDER / "adult_uci.csv", lambda column: column not in ("income", "class")),
    "census-22": (CENSUS, lambda column: column in CENSUS_22),
    "census-40": (CENSUS, lambda column: column not in ("instance_weight", "income")),
}


def command(path: Path, quasi: list[str], k: int, folder: Path) -> tuple[int, float, float, float]:
    """Run `diva anonymize` as users do: stars, seconds, CPU seconds, peak megabytes."""
    words = [
        "anonymize",
        str(path),
        "-o",
        str(folder / "release.csv"),
        "--qi",
        ",".join(quasi),
        "--k",
        str(k),
        "--json",
    ]
    began = time.perf_counter()
    ours, theirs = os.pipe()
    program = [sys.executable, "-c", "from diva.cli import main; main()", *words]
    child = os.posix_spawn(
        sys.executable, program, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 1)]
    )
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as stream:
        told = json.loads(stream.read())
    _, status, usage = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    seconds = time.perf_counter() - began
    return told["stars"], seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def mondrian_by(split: str) -> Callable[[Problem], Fragments]:
    algorithm = anonymizer("mondrian", split=split)  # type: ignore[arg-type]
    return lambda problem: algorithm(problem, np.random.default_rng(0))


def baseline(name: Name) -> Callable[[Problem], Fragments]:
    return lambda problem: anonymizer(name)(problem, np.random.default_rng(0))


MONDRIAN = {f"mondrian, {split}": mondrian_by(split) for split in ("span", "entropy")}
EVERYBODY: dict[str, Callable[[Problem], Fragments]] = {
    "lattice": search,
    **MONDRIAN,
    "k-member": baseline("k-member"),
    "oka": baseline("oka"),
}


def sampled(problem: Problem, rows: int) -> Problem:
    """Some of the records."""
    every = np.repeat(np.arange(len(problem.counts)), problem.counts)
    codes = problem.codes[np.random.default_rng(0).choice(every, size=min(rows, len(every)), replace=False)]
    first, number = distinct_rows(codes)
    return Problem(
        codes[first], np.bincount(number).astype(np.int64), problem.k, problem.weights, problem.visible
    )


def line(case: str, rows: int, solver: str, stars: float, least: float, *rest: str) -> None:
    print(
        f"{case:10} {rows:8,} {solver:18} {stars:12,.0f} {stars / least:7.3f}  {'  '.join(rest)}", flush=True
    )


def compare(
    case: str, problem: Problem, solvers: dict[str, Callable[[Problem], Fragments]], least: float | None
) -> None:
    """Run solvers on the same problem; `least` is what the lattice found."""
    for name, solver in solvers.items():
        began, worked = time.perf_counter(), time.process_time()
        plan = solver(problem)
        seconds, cpu = time.perf_counter() - began, time.process_time() - worked
        assert not problem.flaws(plan)
        least = least or problem.cost(plan)
        line(
            case,
            int(problem.counts.sum()),
            name,
            problem.cost(plan),
            least,
            f"{seconds:7.1f} s",
            f"{cpu:7.1f} s CPU",
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--sample", type=int, default=5_000)
    options = parser.parse_args()
    print(f"{'table':10} {'rows':>8} {'solver':18} {'stars':>12} {'÷ least':>7}")
    for case in options.only:
        path, chosen = CASES[case]
        table = open_table(require(path))
        quasi = [name for name in table.names if chosen(name)]
        with tempfile.TemporaryDirectory() as folder:
            stars, seconds, cpu, memory = command(path, quasi, options.k, Path(folder))
        types = table.types(quasi)
        m = len(quasi)
        problem = Problem(types.codes, types.counts, options.k, np.ones(m), np.zeros(m, dtype=bool))
        line(
            case,
            types.rows,
            "lattice, command",
            stars,
            stars,
            f"{seconds:7.1f} s",
            f"{cpu:7.1f} s CPU",
            f"{memory:,.0f} MB",
        )
        compare(case, problem, MONDRIAN, stars)
        compare(case, sampled(problem, options.sample), EVERYBODY, None)


if __name__ == "__main__":
    main()
