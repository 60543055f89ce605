"""docs/experiments.md: for each experiment what the paper claims, what was measured, and whether it reproduces."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from diva.experiments.averages import averages
from diva.experiments.claims import judge
from diva.experiments.spec import LINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from diva.experiments.averages import Average
    from diva.experiments.claims import Judgement
    from diva.experiments.conduct import Results
    from diva.experiments.spec import Experiment, Mode

_HEAD = """\
# The paper's experiments

Made by `diva experiments run all{option} --out docs`; every figure, table and verdict below is computed from the runs in
`experiments/*.csv`. {scale}

How to read it:

* *naive*, *min-choice* and *max-fanout* are the paper's DIVA with its three strategies, calling k-member for what Σ leaves over; *lattice* is
  diva's own search, with its default settings; *k-member* is the baseline without Σ.
* **accuracy** is disc(R″)/disc(R′) as in the paper, with R″ the best of the releases that were sampled for the same problem: those of the
  three strategies, and further ones with other seeds and anonymizers. For *lattice*, which isn't among them, it may exceed 1.
* **certified** is bound/stars: no release of the problem has fewer stars than the bound, so 97 % means that at most 3 % of the stars could be saved. It
  is about stars, which all solvers here minimise or try to; there is no such bound for disc. The two disagree by nature: stars fall when
  groups are kept whole, disc falls when they are cut to size k.
* The claims are judged by rules, told in `src/diva/experiments/claims.py`; *partly* is most often the right direction at another size.
* **time** is processor time of the algorithm alone, so that other work on the machine hardly counts; the lines of a point are run one after the other in
  one process, and what is compared are ratios. It is averaged as in the paper; **median** is that of the repetitions, which one run that goes back
  until it is stopped doesn't move. A colouring is stopped after so many candidates (2,000 in a component of the graph) or so much time, and then
  counts with the time it had; one that has no candidates left has no time, for it was not fast. The search stops after as much time by the clock, with the best it has. *found* counts the runs that ended with a release; only these have stars, disc and accuracy.
* Σ is generated as the class says, each range widened on both sides by a share of freq(a) (the *tightness*, because a range of *proportion* as printed is
  one record wide and the colouring seldom hits it), and made satisfiable. Conflict rates are controlled by the choice of targets; the rates
  that were reached are told, for the tables don't have targets for all of them.

"""
_SCALE = {
    "full": (
        "The parameters are those of the paper's Table “Parameter values”, with whole tables and five repetitions. The solvers' runs took {minutes:.0f} minutes of"
        " processor time in all. Differences of a few percent between the strategies are within what another seed changes: read directions, not sizes."
    ),
    "quick": (
        "**These are the figures of a quick run**: smaller samples, fewer values of each parameter and one to three repetitions. The full run has the paper's"
        " parameters, whole tables and five repetitions, and was not made for this page. The solvers' runs took {minutes:.1f} minutes of processor time in all. Differences of"
        " a few percent between the strategies are within what another seed changes: read directions, not sizes."
    ),
}


def rendered(results: Sequence[Results], mode: Mode) -> str:
    """Write the page."""
    judged = {r.experiment.name: _judged(r) for r in results}
    minutes = sum(row["seconds"] for r in results for row in r.rows) / 60
    scale = _SCALE[mode].format(minutes=minutes)
    parts = [_HEAD.format(option=" --quick" if mode == "quick" else "", scale=scale)]
    parts.append(_overview(results, judged))
    parts += [_section(r, judged[r.experiment.name], mode) for r in results]
    return "\n".join(parts)


def _judged(results: Results) -> list[Judgement]:
    found = averages(results.experiment, results.rows)
    return [judge(claim, found) for claim in results.experiment.claims]


def _overview(results: Sequence[Results], judged: dict[str, list[Judgement]]) -> str:
    rows = []
    for r in results:
        verdicts = [j.verdict for j in judged[r.experiment.name]]
        counted = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))
        rows.append((_number(r.experiment), r.experiment.title, counted))
    return "## In short\n\n" + _table(("experiment", "what", "do the claims reproduce?"), rows)


def _section(results: Results, judged: Sequence[Judgement], mode: Mode) -> str:
    experiment = results.experiment
    name = experiment.name
    sampled = experiment.sampled if mode == "full" else ""
    lines = [f"## {_number(experiment)}: {experiment.title}", "", experiment.setting]
    lines += [f"Tightness of Σ: {experiment.tightness:.0%}.", *([sampled] if sampled else [])]
    lines += [f"This quick run: {_sizes(results)} records."] if mode == "quick" else []
    lines += _unfinished(results, mode)
    lines += ["", f"![{experiment.title}](experiments/{name}.svg)", "", _claims(judged)]
    lines += [experiment.remark, ""] if experiment.remark else []
    lines.append(_figures(experiment, averages(experiment, results.rows), results))
    return "\n".join(lines)


def _unfinished(results: Results, mode: Mode) -> list[str]:
    whole, wanted = results.repetitions, results.experiment.scale(mode).repetitions
    if whole == wanted:
        return []
    return [f"**Only {whole} of {wanted} repetitions are done** for this page: at every point, by everybody."]


def _sizes(results: Results) -> str:
    sizes = sorted({row["rows"] for row in results.rows})
    return " to ".join(f"{n:,}" for n in dict.fromkeys((sizes[0], sizes[-1]))) if sizes else "no"


def _claims(judged: Sequence[Judgement]) -> str:
    rows = [
        (j.claim.says, "" if j.claim.percent is None else f"{j.claim.percent:g} %", j.measured, j.verdict)
        for j in judged
    ]
    return _table(("the paper claims", "by", "measured", "reproduces"), rows)


def _figures(experiment: Experiment, found: Sequence[Average], results: Results) -> str:
    """Everybody side by side, averaged over all points where everybody that must satisfy Σ found a release."""
    rows = []
    for panel in dict.fromkeys(a.panel for a in found):
        inside = [a for a in found if a.panel == panel]
        shared = _shared(experiment, inside)
        for line in experiment.lines:
            own = [a for a in inside if a.line == line]
            if own:
                rows.append(_line(panel, line, own, [a for a in own if a.x in shared]))
    rates = sorted({round(row["rate_measured"], 1) for row in results.rows})
    moved = max((row["moved"] for row in results.rows), default=0)
    title = ("table", "class", "line", "found", "stars", "disc", "time", "median", "accuracy", "certified")
    told = "Averages over the points where all who look at Σ found releases; *found* is over all points."
    told += f" Conflict rates that were reached: {', '.join(f'{rate:g}' for rate in rates)}."
    told += (
        f" To be satisfiable, ranges of Σ were moved by up to {moved:,} records in total." if moved else ""
    )
    return _table(title, rows) + "\n" + told + "\n"


def _shared(experiment: Experiment, inside: Sequence[Average]) -> set[object]:
    wanted = {line for line in experiment.lines if LINES[line].diverse}
    xs = {a.x for a in inside}
    return {x for x in xs if wanted <= {a.line for a in inside if a.x == x and a.found}}


def _line(
    panel: tuple[str, str], line: str, own: Sequence[Average], shared: Sequence[Average]
) -> tuple[str, ...]:
    counted = f"{sum(a.found for a in own)} of {sum(a.runs for a in own)}"
    return (
        *panel,
        line,
        counted,
        _mean(shared, "stars", "{:,.0f}"),
        _mean(shared, "discernibility", "{:,.0f}"),
        _mean(shared, "seconds", "{:,.3f} s"),
        _form("{:,.3f} s", [a.median["seconds"] for a in shared if "seconds" in a.median]),
        _mean(shared, "accuracy", "{:.3f}"),
        _mean(shared, "accuracy_certified", "{:.1%}"),
    )


def _mean(found: Iterable[Average], measure: str, form: str) -> str:
    return _form(form, [a.mean[measure] for a in found if measure in a.mean])


def _form(form: str, values: Sequence[float]) -> str:
    return form.format(fmean(values)) if values else "–"


def _number(experiment: Experiment) -> str:
    return f"Exp-{experiment.name.removeprefix('exp')}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(_rows(header, rows)) + "\n"


def _rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield "|" + "---|" * len(header)
    for row in rows:
        cells = (str(cell).replace("|Σ|", "\\|Σ\\|").replace("|R|", "\\|R\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"
