import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.constraints.files import from_object, read, to_json, to_lines, to_object, to_toml
from diva.constraints.model import Constraint, Target
from diva.constraints.text import parse
from diva.errors import BadInput
from tests.constraints.strategies import constraints

WRITERS = {"sigma.toml": to_toml, "sigma.json": to_json, "sigma.txt": to_lines}
SIGMA = [parse("ETH[Asian] in 2..5"), parse("CTY[Vancouver] in 2.."), parse("GEN,ETH[Female,Asian] in 3")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sigma")


@pytest.mark.parametrize("name", WRITERS)
@given(st.data())
def test_files_read_back_what_was_written(folder: Path, name: str, data: st.DataObject) -> None:
    sigma_set = data.draw(st.lists(constraints(), max_size=4))
    (folder / name).write_bytes(WRITERS[name](sigma_set).encode())
    found = read(folder / name)
    assert found == sigma_set
    assert [sigma.text for sigma in found] == [sigma.text for sigma in sigma_set]


@given(constraints())
def test_objects_read_back_what_was_written(sigma: Constraint) -> None:
    assert from_object(json.loads(json.dumps(to_object(sigma)))) == sigma


def test_golden_files() -> None:
    assert to_lines(SIGMA) == "ETH[Asian] in 2..5\nCTY[Vancouver] in 2..\nGEN,ETH[Female,Asian] in 3\n"
    assert to_toml(SIGMA[:2]) == (
        '[[constraints]]\ntarget = { "ETH" = "Asian" }\nlow = 2\nhigh = 5\n\n'
        '[[constraints]]\ntarget = { "CTY" = "Vancouver" }\nlow = 2\n'
    )
    assert json.loads(to_json(SIGMA[:1])) == [{"target": {"ETH": "Asian"}, "low": 2, "high": 5}]
    assert to_toml([]) == "constraints = []\n"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "ETH[Asian] in 2..5\nCTY[Vancouver] in 2..\nGEN,ETH[Female,Asian] in 3",
        "# Σ\r\n\r\n  ETH[Asian] in 2..5\r\nCTY[Vancouver] in 2..  # why\r\n\t# it's 5\" wide\r\nGEN,ETH[Female,Asian] in 3\r\n",
        '\N{BOM}ETH[Asian] in 2..5\rCTY[Vancouver] in 2..# 5" pipe\rGEN,ETH[ Female , "Asian" ] in 3',
    ],
)
def test_lines(folder: Path, content: str) -> None:
    assert read(write(folder, "lines.constraints", content)) == SIGMA


def test_an_open_quote_continues_over_lines(folder: Path) -> None:
    path = write(folder, "open.txt", 'A["a\n# no comment\r\n""b"] in 2\nA["#"] in 3\nA[#] in 4 # comment\n')
    assert [sigma.target.values for sigma in read(path)] == [('a\n# no comment\r\n"b',), ("#",), ("#",)]


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n", "  "])
def test_a_file_may_hold_no_constraint(folder: Path, content: str) -> None:
    assert read(write(folder, "none.txt", content)) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '["ETH[Asian] in 2..5", {"target": {"CTY": "Vancouver"}, "low": 2, "high": null}]'),
        (
            "b.JSON",
            '\N{BOM}{"constraints": [{"target": {"ETH": "Asian"}, "low": 2, "high": 5}, "CTY[Vancouver] in 2.."]}',
        ),
        ("a.toml", 'constraints = ["ETH[Asian] in 2..5", {target = {CTY = "Vancouver"}, low = 2}]'),
        (
            "b.toml",
            '[[constraints]]\ntarget = {ETH = "Asian"}\nlow = 2\nhigh = 5\n[[constraints]]\nlow = 2\n[constraints.target]\nCTY = "Vancouver"\n',
        ),
    ],
)
def test_texts_and_objects_may_be_mixed(folder: Path, name: str, content: str) -> None:
    assert read(write(folder, name, content)) == SIGMA[:2]


def test_an_object_may_leave_out_one_bound() -> None:
    target = Target(("ETH",), ("Asian",))
    assert from_object({"target": {"ETH": "Asian"}, "high": 5}) == Constraint(target, 0, 5)
    assert from_object({"target": {"ETH": "Asian"}, "low": 5, "high": None}) == Constraint(target, 5, None)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("e.txt", "A[a] in 2\n\nA[a] 2\nA[b] in 3", "e.txt, line 3: constraint 'A[a] 2': ' in ' and a range"),
        ("e.txt", 'A[5" pipe] in 2\nA[b] in 3', "e.txt, line 1: constraint 'A[5\" pipe] in 2': "),
        ("e.txt", 'A[a] in 2\r\nA["b] in 3\r\nA[c] in 3', "e.txt, line 2: constraint 'A[\"b] in 3"),
        ("e.txt", b"A[a] in 2\nA[\xff] in 2", "e.txt is not UTF-8 (line 2); save it in UTF-8"),
        ("e.toml", "constraints = [\n", "e.toml is not valid TOML: "),
        ("e.toml", 'constraints = ["A[a]"]', "e.toml, constraint 1: constraint 'A[a]': ' in ' and a range"),
        ("e.toml", 'sigma = ["A[a] in 2"]', "e.toml has an unknown key 'sigma'; the keys are constraints"),
        ("e.toml", "", "e.toml holds no list of constraints"),
        ("e.toml", 'constraints = "A[a] in 2"', "e.toml holds no list of constraints"),
        ("e.toml", "low = 2 low = 3", "e.toml is not valid TOML: "),
        ("e.json", "", "e.json is not valid JSON: "),
        ("e.json", '["A[a] in 2",]', "e.json is not valid JSON: "),
        ("e.json", "[" * 100_000, "e.json is nested too deeply"),
        ("e.json", "[" + "9" * 5000 + "]", "e.json is not valid JSON: "),
        ("e.json", "3", "e.json holds no list of constraints"),
        ("e.json", "[3]", "constraint 1: constraint '3' must be a text or an object"),
        ("e.json", "[[]]", "constraint 1: constraint '[]' must be a text or an object"),
        (
            "e.json",
            '[{"target": {"A": "a"}, "low": 2, "max": 3}]',
            "unknown key 'max'; the keys are target, low, high",
        ),
        ("e.json", '[{"target": {"A": "a", "A": "b"}, "low": 2}]', "key 'A' stands twice in one object"),
        ("e.json", '[{"target": {"A": "a"}}]', "constraint 1: the constraint has neither low nor high"),
        ("e.json", '[{"low": 2}]', "constraint 1: the constraint has no target"),
        ("e.json", '[{"target": "A[a]", "low": 2}]', "the constraint has no target"),
        ("e.json", '[{"target": {}, "low": 2}]', "a constraint needs at least one column"),
        (
            "e.json",
            '[{"target": {"A": 30}, "low": 2}]',
            "value 30 of column 'A' is not a text; write \"30\" as a text",
        ),
        ("e.json", '[{"target": {"A": null}, "low": 2}]', "is not a text; NULL is the target of nothing"),
        ("e.json", '[{"target": {"A": "\\ud800"}, "low": 2}]', "is not valid Unicode"),
        ("e.json", '[{"target": {"A": "a"}, "low": 2.0}]', "bound 2.0 of A[a] is not a whole number"),
        ("e.json", '[{"target": {"A": "a"}, "low": true}]', "bound True of A[a] is not a whole number"),
        ("e.json", '[{"target": {"A": "a"}, "low": "2"}]', "bound '2' of A[a] is not a whole number"),
        ("e.json", '[{"target": {"A": "a"}, "low": -2}]', "bound -2 of A[a] must lie between 0 and"),
        (
            "e.json",
            '[{"target": {"A": "a"}, "low": 3, "high": 2}]',
            "the lower bound 3 is above the upper bound 2",
        ),
    ],
)
def test_each_malformed_file_gets_one_sentence(
    folder: Path, name: str, content: str | bytes, reason: str
) -> None:
    path = write(folder, name, content)
    with pytest.raises(BadInput) as caught:
        read(path)
    assert reason in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders(folder: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.txt does not exist"):
        read(folder / "nowhere.txt")
    with pytest.raises(BadInput, match="is a folder"):
        read(folder)
    with pytest.raises(BadInput, match="can't be read: Not a directory"):
        read(write(folder, "file.txt", "") / "below.txt")
    with pytest.raises(BadInput, match="can't be read: embedded null byte"):
        read("a\0b")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("one.json", '{"target": {"ETH": "Asian"}, "low": 2, "high": 5}'),
        ("one.toml", 'target = { ETH = "Asian" }\nlow = 2\nhigh = 5\n'),
    ],
)
def test_a_document_may_be_one_constraint(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    assert read(folder / name) == SIGMA[:1]
