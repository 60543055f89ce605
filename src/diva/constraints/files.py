"""Σ in files: one constraint per line, TOML or JSON, each written back without loss."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from diva.constraints.model import Constraint, Target
from diva.constraints.text import is_unicode, parse
from diva.errors import BadInput
from diva.relation.names import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_KEYS = ("target", "low", "high")
_BREAK = re.compile(r"\r\n?|\n")
# A double quote opens a quoted item only where an item begins, so that a stray one spoils its own line alone.
_ITEM = r'[^\S\r\n]*(?:"[^"]*+(?:""[^"]*+)*+(?:"|\Z))?[^,\[\]\r\n]*'
_STATEMENT = re.compile(
    rf"[^\S\r\n]*(?:#[^\r\n]*|(?P<statement>{_ITEM}(?:[,\[]{_ITEM})*(?:\][^\r\n#]*)?)[^\r\n]*)"
)


def read(path: str | Path) -> list[Constraint]:
    """Read the constraints of a file: TOML or JSON by its ending, otherwise one per line with `#` comments."""
    path = Path(path)
    text = _content(path)
    if path.suffix.lower() not in _READERS:
        return _from_lines(text, path)
    try:
        document = _READERS[path.suffix.lower()](text)
    except RecursionError:
        raise BadInput(f"{path} is nested too deeply; write a list of constraints") from None
    except ValueError as error:
        raise BadInput(f"{path} is not valid {path.suffix[1:].upper()}: {error}; correct it there") from None
    return _from_document(document, path)


def from_object(entry: object) -> Constraint:
    """Read a constraint from a text, or from an object: `{"target": {"ETH": "Asian"}, "low": 2, "high": 5}`."""
    if isinstance(entry, str):
        return parse(entry)
    if not isinstance(entry, dict):
        raise BadInput(
            f'constraint {shown(str(entry))} must be a text or an object; write "ETH[Asian] in 2..5"'
        )
    _refuse_unknown(entry, _KEYS, "the constraint")
    if entry.get("low") is None and entry.get("high") is None:
        raise BadInput("the constraint has neither low nor high; give it at least one of them")
    low = entry.get("low")
    return Constraint(_target(entry.get("target")), 0 if low is None else low, entry.get("high"))


def to_object(constraint: Constraint) -> dict[str, object]:
    """Return the object that `from_object` reads back; an unbounded constraint has no `high`."""
    bounds = {"low": constraint.low, "high": constraint.high}
    return {"target": dict(constraint.target.mapping)} | {k: v for k, v in bounds.items() if v is not None}


def to_lines(constraints: Iterable[Constraint]) -> str:
    """Write one constraint per line."""
    return "".join(f"{_line(constraint)}\n" for constraint in constraints)


def to_json(constraints: Iterable[Constraint]) -> str:
    """Write a JSON list of objects."""
    return json.dumps([to_object(c) for c in constraints], ensure_ascii=False, indent=2) + "\n"


def to_toml(constraints: Iterable[Constraint]) -> str:
    """Write one `[[constraints]]` table per constraint; an empty Σ is an empty list."""
    return "\n".join(map(_toml_table, constraints)) or "constraints = []\n"


def _content(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"constraints file {path} does not exist; check the path") from None
    except IsADirectoryError:
        raise BadInput(f"constraints file {path} is a folder; name a file in it") from None
    except UnicodeDecodeError as error:
        line = len(_BREAK.findall(str(error.object[: error.start], "latin-1"))) + 1
        raise BadInput(f"constraints file {path} is not UTF-8 (line {line}); save it in UTF-8") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"constraints file {path} can't be read: {reason}") from None


def _from_lines(text: str, path: Path) -> list[Constraint]:
    found: list[Constraint] = []
    position = 0
    while position < len(text):
        match = _STATEMENT.match(text, position)
        if match is None:  # pragma: no cover - the pattern matches the empty text
            break
        if (match["statement"] or "").strip():
            try:
                found.append(parse(match["statement"].strip()))
            except BadInput as error:
                line = len(_BREAK.findall(text, 0, position)) + 1
                raise BadInput(f"{path}, line {line}: {error}") from None
        line_break = _BREAK.match(text, match.end())
        position = match.end() if line_break is None else line_break.end()
    return found


def _from_document(document: object, path: Path) -> list[Constraint]:
    if isinstance(document, dict) and "target" in document:  # one constraint by itself
        document = [document]
    if isinstance(document, dict):
        _refuse_unknown(document, ("constraints",), str(path))
        document = document.get("constraints")
    if not isinstance(document, list):
        example = '["ETH[Asian] in 2..5"]'
        listed = example if path.suffix.lower() == ".json" else f"constraints = {example}"
        raise BadInput(f"{path} holds no list of constraints; write {listed}")
    found: list[Constraint] = []
    for number, entry in enumerate(document, start=1):
        try:
            found.append(from_object(entry))
        except BadInput as error:
            raise BadInput(f"{path}, constraint {number}: {error}") from None
    return found


def _target(target: object) -> Target:
    if not isinstance(target, dict):
        raise BadInput('the constraint has no target; write "target": {"ETH": "Asian"}')
    for attribute, value in target.items():
        if not isinstance(value, str):
            advice = "NULL is the target of nothing" if value is None else f'write "{value}" as a text'
            raise BadInput(f"the target's value {value!r} of column {attribute!r} is not a text; {advice}")
        if not is_unicode(attribute + value):
            raise BadInput(f"the target's column {attribute!r} or its value {value!r} is not valid Unicode")
    return Target(tuple(target), tuple(target.values()))


def _refuse_unknown(entry: dict[str, object], known: Sequence[str], where: str) -> None:
    for key in entry:
        if key not in known:
            raise BadInput(f"{where} has an unknown key {shown(key)}; the keys are {', '.join(known)}")


def _line(constraint: Constraint) -> str:
    """Write a constraint so that neither a comment sign nor a byte order mark seems to begin the file or line."""
    first = constraint.target.attributes[0]
    if constraint.text.startswith(("#", "\ufeff")):
        return f'"{first}"{constraint.text[len(first) :]}'
    return constraint.text


def _toml_table(constraint: Constraint) -> str:
    pairs = ", ".join(f"{_toml_text(a)} = {_toml_text(v)}" for a, v in constraint.target.mapping.items())
    high = "" if constraint.high is None else f"high = {constraint.high}\n"
    return f"[[constraints]]\ntarget = {{ {pairs} }}\nlow = {constraint.low}\n{high}"


def _toml_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read_json(text: str) -> object:
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {shown(twice)} stands twice in one object")
    return made


_READERS: dict[str, Callable[[str], object]] = {".toml": tomllib.loads, ".json": _read_json}
