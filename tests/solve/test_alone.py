"""Baselines by themselves: what they release is verified, and a Σ that they break is refused with a sentence."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diva
from diva.job import Job
from diva.job_file import read_job
from tests.oracles.release import fewest_stars, random_instance, releases

SOLVERS = ("k-member", "oka", "mondrian")


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SOLVERS), st.booleans())
def test_releases_of_tiny_tables(seed, solver, diverse):
    """Verified, and satisfying Σ, or refused: as unsatisfiable exactly where it is, as given up otherwise."""
    instance = random_instance(np.random.default_rng(seed))
    if not diverse:
        instance.sigma.clear()
    width = instance.width
    table = pl.DataFrame(list(instance.rows), schema=dict.fromkeys(instance.columns, pl.String), orient="row")
    sigma = [
        diva.Constraint(diva.Target(tuple(t), tuple(t.values())), low, high)
        for t, low, high in instance.sigma
    ]
    optimum = fewest_stars(releases(instance), instance)
    options = {"qi": instance.columns[:width], "sensitive": instance.columns[width:], "constraints": sigma}
    try:
        release = diva.anonymize(table, k=instance.k, solver=solver, **options)
    except diva.Unsatisfiable:
        assert optimum is None
    except diva.GaveUp:
        assert optimum is not None
        assert sigma
    else:
        assert optimum is not None
        assert release.k_achieved >= instance.k
        assert all(p.satisfied for p in release.constraints)
        assert release.lower_bound <= optimum <= release.stars


def test_a_sigma_that_is_not_met_is_refused_with_its_culprit():
    table = pl.DataFrame({"a": ["x", "x", "y", "y", "z"], "b": ["1", "1", "2", "2", "3"]})
    for sigma in ("a[x] in 3..", "a[x] in 0", "a[z] in 1.."):
        with pytest.raises((diva.GaveUp, diva.Unsatisfiable), match=r"a\[[xz]\]"):
            diva.anonymize(table, qi=["a", "b"], k=2, solver="mondrian", constraints=[sigma])
    with pytest.raises(diva.GaveUp, match=r"mondrian .* publishes 2 records for a\[x\] in 0"):
        diva.anonymize(table, qi=["a", "b"], k=2, solver="mondrian", constraints=["a[x] in 0"])
    assert diva.anonymize(table, qi=["a", "b"], k=2, solver="mondrian", constraints=["a[x] in 2"]).stars


@pytest.mark.parametrize(
    ("solver", "setting"),
    [("k-member", {"effort": "quick"}), ("oka", {"time_limit": 3.0}), ("mondrian", {"effort": "standard"}), ("lattice", {"split": "span"}), ("oka", {"split": "entropy"})],
)  # fmt: skip
def test_a_setting_of_another_solver_is_refused(solver, setting):
    with pytest.raises(
        diva.BadInput,
        match=f"{next(iter(setting)).replace('_', ' ')} is a setting of .* {solver} would ignore",
    ):
        Job(source="t.csv", qi=("A",), k=2, solver=solver, **setting)


def test_settings_have_defaults():
    job = {"source": "t.csv", "qi": ("A",), "k": 2}
    assert Job(**job).settings == {
        "effort": "standard",
        "time_limit": None,
        "parts": None,
        "workers": None,
    }
    assert Job(**job, solver="mondrian").settings == {"split": "span"}
    assert Job(**job, solver="mondrian", split="entropy").settings == {"split": "entropy"}
    assert Job(**job, solver="oka").settings == {}
    with pytest.raises(diva.BadInput, match="'median' is not one of span, entropy"):
        Job(**job, solver="mondrian", split="median")


def test_a_job_file_and_the_manifest_name_the_settings(tmp_path):
    (tmp_path / "t.csv").write_text("A,B\nx,1\nx,2\ny,1\ny,2\n", encoding="utf-8")
    text = (
        '[input]\npath = "t.csv"\n[columns]\nquasi = ["A", "B"]\n[privacy]\nk = 2\n[output]\npath = "r.csv"\n'
    )
    for solve, expected in (
        ('solver = "mondrian"\nsplit = "entropy"', {"solver": "mondrian", "split": "entropy"}),
        ('solver = "oka"', {"solver": "oka"}),
        ("", {"solver": "lattice", "effort": "standard", "time_limit": None, "parts": None}),
    ):
        (tmp_path / "job.toml").write_text(f"{text}[solve]\n{solve}\n", encoding="utf-8")
        diva.run(Job(**read_job(tmp_path / "job.toml")))
        manifest = json.loads((tmp_path / "r.csv.diva.json").read_text(encoding="utf-8"))
        assert manifest["job"]["solve"] == expected | {"seed": 0, "weights": {}}


def test_the_split_and_the_seed_matter():
    rng = np.random.default_rng(5)
    table = pl.DataFrame({c: rng.zipf(1.5, 500).clip(1, 12).astype(str) for c in "abcd"})
    run = {"qi": list("abcd"), "k": 5}
    span, entropy = (diva.anonymize(table, solver="mondrian", split=s, **run) for s in ("span", "entropy"))
    assert span.stars != entropy.stars
    stars = {diva.anonymize(table, solver="k-member", seed=s, **run).stars for s in range(4)}
    assert len(stars) > 1
    dear = diva.anonymize(table, solver="k-member", weights={"a": 50.0}, **run).to_polars()
    cheap = diva.anonymize(table, solver="k-member", weights={"a": 0.0}, **run).to_polars()
    assert (dear["a"] == "*").sum() < (cheap["a"] == "*").sum()
