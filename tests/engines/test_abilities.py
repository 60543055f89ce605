"""The table in docs/engines.md is what the engines declare."""

from __future__ import annotations

import re
from pathlib import Path

from diva.relation.abilities import Ability, as_markdown, declared

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"


def test_every_engine_answers_everything() -> None:
    for name, able in declared().items():
        assert set(able) == set(Ability), name
        assert all(answer.note for answer in able.values() if answer.word == "never"), name


def test_the_page_shows_what_the_engines_declare() -> None:
    found = re.search(
        r"<!-- abilities -->\n(.*)<!-- /abilities -->", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found
    assert found[1] == as_markdown(), f"docs/engines.md should say\n{as_markdown()}"
