"""Constraints with every kind of name and value."""

from hypothesis import strategies as st

from diva.constraints.model import MAX_BOUND, Constraint, Target

AWKWARD = st.sampled_from(
    [
        "",
        " ",
        "a",
        "*",
        "#1",
        "#",
        '"',
        '""',
        "[",
        "]",
        ",",
        "a in 2",
        " in 2..5",
        "..",
        "\n",
        "\r\n",
        "\N{BOM}x",
        "\\",
        "\\n",
        "=cmd()",
        "<script>",
        "'; --",
        "\u2028",
        "\u200f\u05d0",
        "😀",
        "\x7f",
        "\x00",
        "\x85",
        "é" * 9,
    ]
)
VALUES = st.text(max_size=8) | st.lists(AWKWARD, max_size=4).map("".join)


@st.composite
def targets(draw: st.DrawFn) -> Target:
    attributes = draw(st.lists(VALUES.filter(bool), min_size=1, max_size=3, unique=True))
    return Target(tuple(attributes), tuple(draw(VALUES) for _ in attributes))


@st.composite
def constraints(draw: st.DrawFn) -> Constraint:
    low = draw(st.integers(0, 9) | st.integers(0, MAX_BOUND))
    high = draw(st.none() | st.just(low) | st.integers(low, MAX_BOUND))
    return Constraint(draw(targets()), low, high)
