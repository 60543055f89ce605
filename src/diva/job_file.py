"""A job declared in a TOML file."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from diva.constraints.files import from_object
from diva.constraints.files import read as read_constraints
from diva.errors import BadInput
from diva.relation.places import is_address

if TYPE_CHECKING:
    from pathlib import Path

    from diva.constraints.model import Constraint

_TEXT, _LIST, _FLAG, _WHOLE, _NUMBER, _TABLE = (
    "a text",
    "a list",
    "true or false",
    "a whole number",
    "a number",
    "a table",
)
_KINDS: dict[str, tuple[type, ...]] = {
    _TEXT: (str,), _LIST: (list,), _FLAG: (bool,), _WHOLE: (int,), _NUMBER: (int, float), _TABLE: (dict,),
}  # fmt: skip
_SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "input": {"path": ("source", _TEXT), "table": ("table", _TEXT), "query": ("query", _TEXT)},
    "columns": {
        "quasi": ("qi", _LIST),
        "sensitive": ("sensitive", _LIST),
        "identifying": ("identifying", _LIST),
        "keep": ("keep", _LIST),
        "keep_rest": ("keep_rest", _FLAG),
    },
    "privacy": {"k": ("k", _WHOLE)},
    "diversity": {"constraints": ("constraints", _LIST), "file": ("constraints_file", _TEXT)},
    "solve": {
        "solver": ("solver", _TEXT),
        "effort": ("effort", _TEXT),
        "seed": ("seed", _WHOLE),
        "time_limit": ("time_limit", _NUMBER),
        "split": ("split", _TEXT),
        "strategy": ("strategy", _TEXT),
        "anonymizer": ("anonymizer", _TEXT),
        "budget": ("budget", _WHOLE),
        "workers": ("workers", _WHOLE),
        "parts": ("parts", _WHOLE),
        "weights": ("weights", _TABLE),
    },
    "output": {
        "path": ("output", _TEXT),
        "table": ("into", _TEXT),
        "replace": ("replace", _FLAG),
        "partition_by": ("partition_by", _LIST),
        "file_size": ("file_size", _TEXT),
        "order": ("order", _TEXT),
        "star": ("star", _TEXT),
        "suppressed": ("suppressed", _TEXT),
    },
    "engine": {
        "memory_limit": ("memory_limit", _TEXT),
        "threads": ("threads", _WHOLE),
        "temp_dir": ("temp_dir", _TEXT),
        "engine": ("engine", _TEXT),
        "master": ("master", _TEXT),
    },
}
"""Section → key → (field of a job, kind of value)."""


def read_job(path: Path) -> dict[str, Any]:
    """Read a job file into the fields of a job; paths in it are relative to its folder."""
    declared = _fields(_content(path), path)
    sigma = [_constraint(entry, path) for entry in declared.pop("constraints", [])]
    file = declared.pop("constraints_file", None)
    if file is not None:
        sigma += read_constraints(path.parent / file)
    for name in ("qi", "sensitive", "identifying", "keep", "partition_by"):
        declared[name] = tuple(declared.get(name, ()))
    for name in ("source", "output", "temp_dir"):
        if name in declared and not is_address(declared[name]):
            declared[name] = path.parent / declared[name]
    return declared | {"constraints": tuple(sigma)}


def _constraint(entry: object, path: Path) -> Constraint:
    try:
        return from_object(entry)
    except BadInput as error:
        raise BadInput(f"job {str(path)!r}: {error}") from None


def _content(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except IsADirectoryError:
        raise BadInput(f"job {str(path)!r} is a directory; name a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"job {str(path)!r} is not valid TOML: {error}") from None
    except FileNotFoundError:
        raise BadInput(f"there is no job file {str(path)!r}") from None
    except UnicodeDecodeError:
        raise BadInput(f"job {str(path)!r} is not UTF-8; save it as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"can't read job {str(path)!r}: {reason}") from error


def _fields(content: dict[str, Any], path: Path) -> dict[str, Any]:
    fields = {}
    for section, entries in content.items():
        if section not in _SECTIONS:
            raise BadInput(
                f"job {str(path)!r} has an unknown section [{section}]; there are {', '.join(f'[{s}]' for s in _SECTIONS)}"
            )
        if not isinstance(entries, dict):
            raise BadInput(f"job {str(path)!r}: {section} must be a section, written [{section}]")
        for key, value in entries.items():
            if key not in _SECTIONS[section]:
                raise BadInput(
                    f"job {str(path)!r}: [{section}] has an unknown key {key!r}; it may have {', '.join(_SECTIONS[section])}"
                )
            field, kind = _SECTIONS[section][key]
            fields[field] = _checked(value, kind, f"job {str(path)!r}: [{section}] {key}")
    return fields


def _checked(value: Any, kind: str, where: str) -> Any:
    if not _is(value, kind):
        raise BadInput(f"{where} must be {kind}")
    if (
        isinstance(value, list)
        and not where.endswith("constraints")
        and not all(_is(item, _TEXT) for item in value)
    ):
        raise BadInput(f"{where} must be a list of texts")
    if isinstance(value, dict) and not all(_is(number, _NUMBER) for number in value.values()):
        raise BadInput(f"{where} must give a number for every column")
    return value


def _is(value: object, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and isinstance(value, bool) == (kind == _FLAG)
