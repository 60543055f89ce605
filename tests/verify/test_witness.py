"""A witness proves only what the matching would find, whatever it claims; and an honest one proves it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.constraints.model import Target
from diva.relation.engine import Fragments
from diva.relation.types import Types, distinct_rows
from diva.verify.candidates import STAR
from diva.verify.matching import Rows, unmatched
from diva.verify.witness import Witness

Case = tuple[Types, Types, Fragments, np.ndarray, np.ndarray]
"""The original, its types as the claim has them, the claim, what was published and how often."""


def types_of(codes: np.ndarray, counts: np.ndarray, met: np.ndarray | None = None) -> Types:
    values = tuple(tuple(f"{i}" for i in range(3)) for _ in range(codes.shape[1]))
    attributes = tuple(f"a{i}" for i in range(codes.shape[1]))
    flags = np.zeros((len(codes), 0), dtype=bool) if met is None else met[:, None]
    conditions = () if met is None else (Target(("s",), ("x",)),)
    return Types(attributes, values, codes.astype(np.int32), conditions, flags, counts)


def totals(rows: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, number = distinct_rows(rows)
    return rows[first], np.bincount(number, weights=counts, minlength=len(first)).astype(np.int64)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """An original, maybe split by a condition, and its release by a plan."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    width, size = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    codes, counts = totals(random.integers(0, 3, (size, width)), random.integers(1, 4, size))
    split = np.repeat(np.arange(len(codes)), 2)
    met = np.tile([False, True], len(codes))
    shares = np.column_stack([counts - counts // 2, counts // 2]).ravel()
    if not draw(st.booleans()):
        split, met, shares = np.arange(len(codes)), None, counts
    claimed = types_of(codes[split], shares, met)
    type_ = np.repeat(np.arange(len(shares)), shares)  # each record a fragment of its own
    levels = (random.random((len(type_), width)) < 0.5).astype(np.uint8)
    published = np.where(levels > 0, STAR, claimed.codes[type_])
    plan = Fragments(type_.astype(np.int32), levels, np.ones(len(type_), dtype=np.int64))
    return types_of(codes, counts), claimed, plan, *totals(published, plan.count)


@given(cases())
def test_an_honest_claim_proves_the_release(case: Case) -> None:
    original, claimed, plan, published, counts = case
    shuffled = np.random.default_rng(0).permutation(len(counts))
    assert Witness(claimed, plan).proves(original, published[shuffled], counts[shuffled])


@given(
    cases(),
    st.integers(0, 2**32),
    st.sampled_from(["plan", "levels", "type", "original", "published", "counts"]),
)
def test_whatever_is_changed_nothing_false_is_proven(case: Case, seed: int, what: str) -> None:
    original, claimed, plan, published, counts = case
    random = np.random.default_rng(seed)
    if what == "plan":
        plan = replace(plan, count=plan.count + random.integers(-1, 2, len(plan)))
    elif what == "levels":
        plan = replace(plan, levels=plan.levels ^ (random.random(plan.levels.shape) < 0.2).astype(np.uint8))
    elif what == "type":
        plan = replace(plan, type=random.integers(-1, len(claimed) + 1, len(plan)).astype(np.int32))
    elif what == "original":
        original = replace(original, counts=original.counts + random.integers(0, 2, len(original)))
    elif what == "published":
        hidden = random.random(published.shape) < 0.2
        published, counts = totals(
            np.where(hidden, random.integers(STAR, 3, published.shape), published), counts
        )
    else:
        counts = random.permutation(counts)
    if not Witness(claimed, plan).proves(original, published, counts):
        return
    one = Rows(np.zeros(len(original), dtype=np.int64), original.codes, original.counts)
    other = Rows(np.zeros(len(counts), dtype=np.int64), published.astype(np.int32), counts)
    assert int(original.counts.sum()) == int(counts.sum())
    assert unmatched(one, other) == 0


@pytest.mark.parametrize("other", ["attributes", "values", "types"])
def test_a_claim_about_another_table_proves_nothing(other: str) -> None:
    codes, counts = np.array([[0], [1]]), np.array([2, 2])
    original = claimed = types_of(codes, counts)
    plan = Fragments(np.arange(2, dtype=np.int32), np.zeros((2, 1), dtype=np.uint8), counts)
    if other == "attributes":
        claimed = replace(claimed, attributes=("b0",))
    elif other == "values":
        claimed = replace(claimed, values=(("0", "1", "3"),))
    else:
        claimed = types_of(np.array([[0], [2]]), counts)
    assert Witness(original, plan).proves(original, codes, counts)
    assert not Witness(claimed, plan).proves(original, codes, counts)
