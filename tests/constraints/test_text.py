import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.constraints.model import MAX_BOUND, Constraint, Target
from diva.constraints.text import parse
from diva.errors import BadInput
from tests.constraints.strategies import constraints


@given(constraints())
def test_parse_reads_back_the_text_of_every_constraint(sigma: Constraint) -> None:
    read = parse(sigma.text)
    assert read == sigma
    assert read.target.attributes == sigma.target.attributes
    assert read.text == sigma.text


def reads_back_or_is_refused(text: str) -> bool:
    try:
        read = parse(text)
    except BadInput as error:
        return "\n" not in str(error)
    return parse(read.text) == read


@given(st.text())
def test_any_text_is_a_constraint_or_refused(text: str) -> None:
    assert reads_back_or_is_refused(text)


@given(constraints(), st.data())
def test_a_damaged_constraint_is_a_constraint_or_refused(sigma: Constraint, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(sigma.text) - 1))
    replacement = data.draw(st.sampled_from(["", '"', ",", "[", "]", "..", "-", "#", "x"]))
    text = sigma.text[:position] + replacement + sigma.text[position + 1 :]
    assert reads_back_or_is_refused(text)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("ETH[Asian] in 2..5", 2, 5),
        ("ETH[Asian] in 2..", 2, None),
        ("ETH[Asian] in ..5", 0, 5),
        ("ETH[Asian] in 3", 3, 3),
        ("ETH[Asian] in 0..", 0, None),
        ("  ETH [ Asian ]   in  2 .. 5 ", 2, 5),
        ('"ETH"["Asian"] in 007', 7, 7),
        ("ETH[Asian]\nin\n2", 2, 2),
    ],
)
def test_ranges(text: str, low: int, high: int | None) -> None:
    assert parse(text) == Constraint(Target(("ETH",), ("Asian",)), low, high)


def test_several_attributes_and_quotes() -> None:
    sigma = parse('GEN,"a,b"[Female,"say ""hi"""] in 1..')
    assert sigma.target.mapping == {"GEN": "Female", "a,b": 'say "hi"'}


def test_the_empty_text_is_a_value() -> None:
    assert parse('A[""] in 1').target.mapping == {"A": ""}


def test_a_name_may_contain_the_word_in() -> None:
    assert parse("born in Canada[yes in part] in 2").target.mapping == {"born in Canada": "yes in part"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty; write it as in ETH[Asian] in 2..5"),
        ("  ", "is empty"),
        ("ETH in 2..5", "[value] is missing behind the column"),
        ("ETH[Asian in 2..5", "the closing ] is missing"),
        ("ETHAsian] in 2..5", "a ] stands where it can't"),
        ("ETH[a[b] in 2", "a [ stands where it can't"),
        ("ETH[a]b] in 2", "' in ' and a range must follow the target"),
        ("ETH[Asian] 2..5", "' in ' and a range must follow the target"),
        ("ETH[Asian]in 2..5", "' in ' and a range must follow the target"),
        ("ETH[Asian] in", "' in ' and a range must follow the target"),
        ("ETH[Asian] in  ", "' in ' and a range must follow the target"),
        ("ETH[Asian] IN 2", "' in ' and a range must follow the target"),
        ('ETH["Asian] in 2', "a double quote is opened and never closed"),
        ('ETH[Asian"] in 2', "contains a quote"),
        ('ETH["Asian"s] in 2', "text follows a closing double quote"),
        ("ETH[] in 2", 'the value is empty; write ETH[""] for the empty text'),
        ("A,B[a,] in 2", "item 2 is empty"),
        (",B[a,b] in 2", "item 1 is empty"),
        ('""[a] in 2', "names a column without a name"),
        ("A,A[a,b] in 2", "names column 'A' twice"),
        ("A,B[a,b,c] in 2", "the target has 2 columns but 3 values; write one value for each column"),
        ("A,B[a] in 2", "the target has 2 columns but 1 value;"),
        ("A[a] in 5..2", "the lower bound 5 is above the upper bound 2"),
        ("A[a] in -3..5", "bound '-3' is negative; a bound is 0 or more"),
        ("A[a] in 2..-3", "bound '-3' is negative"),
        ("A[a] in 2.5", "'2.5' is not a range"),
        ("A[a] in 2...5", "'2...5' is not a range"),
        ("A[a] in ..", "'..' is not a range"),
        ("A[a] in 2 5", "'2 5' is not a range"),
        ("A[a] in 2-5", "bound '2-5' is not a whole number"),
        ("A[a] in ten", "bound 'ten' is not a whole number"),
        ("A[a] in +2", "bound '+2' is not a whole number"),
        ("A[a] in 1e3", "bound '1e3' is not a whole number"),
        ("A[a] in ٣", "is not a whole number"),
        ("A[a] in 2..5 rubbish", "'2..5 rubbish' is not a range"),
        ("A[a] in 2..5 # why", "'2..5 # why' is not a range"),
        (f"A[a] in {MAX_BOUND + 1}", "is too large; write at most 1000000000000"),
        ("A[a] in " + "9" * 5000, "is too large"),
        ("A[\ud800] in 2", "is not valid Unicode"),
    ],
)
def test_each_malformed_text_gets_one_sentence_that_quotes_it(text: str, reason: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(text)
    message = str(caught.value)
    assert reason in message
    assert message.startswith(f"constraint {text[:100]!r}"[:-1])
    assert "\n" not in message


def test_a_long_number_may_have_leading_zeros() -> None:
    assert parse("A[a] in " + "0" * 5000 + "7").low == 7
