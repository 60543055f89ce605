import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.errors import BadInput
from diva.relation.names import quote, shown, split_list

NAMES = st.text(st.sampled_from(list('ab ,[]"#.\n\r\t\N{BOM}\u2028\u200f😀é')), max_size=6) | st.text(
    max_size=6
)


@given(st.lists(NAMES, min_size=1, max_size=5))
def test_split_list_reads_back_what_quote_wrote(names: list[str]) -> None:
    assert split_list(",".join(map(quote, names))) == tuple(names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("GEN,ETH", ("GEN", "ETH")),
        (' GEN , "home town, province" ,ETH ', ("GEN", "home town, province", "ETH")),
        ('"say ""hi""",x', ('say "hi"', "x")),
        ('""', ("",)),
        ('" a "', (" a ",)),
        ("select,count,x;y--", ("select", "count", "x;y--")),
        ("income [k],[x", ("income [k]", "[x")),
    ],
)
def test_split_list(text: str, names: tuple[str, ...]) -> None:
    assert split_list(text) == names


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "item 1 is empty"),
        ("a,,b", "item 2 is empty"),
        ("a,", "item 2 is empty"),
        (" , a", "item 1 is empty"),
        ('a,"b', "opened and never closed"),
        ('"a""', "opened and never closed"),
        ('5" pipe,b', "contains a quote"),
        ('"a"b', "text follows a closing double quote"),
    ],
)
def test_malformed_lists_are_named(text: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason) as caught:
        split_list(text)
    assert str(caught.value).startswith(f"column list {text!r}: ")


def test_a_very_long_text_is_shown_cut_and_on_one_line() -> None:
    assert shown("a\nb") == "'a\\nb'"
    assert len(shown("x" * 10_000)) < 250


def test_names_need_no_quotes_unless_they_would_be_misread() -> None:
    assert [quote(name) for name in ("a b", "", " a", "a,b", "a[b", "a]b", 'a"b', "a\nb")] == [
        "a b",
        '""',
        '" a"',
        '"a,b"',
        '"a[b"',
        '"a]b"',
        '"a""b"',
        '"a\nb"',
    ]
