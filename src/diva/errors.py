"""What can go wrong, as a small tree.

    DivaError
    ├── BadInput              the table, the options or Σ can't be used as they are      (exit 2)
    ├── Unsatisfiable         no (k,Σ)-anonymous release exists; carries the explanation (exit 3)
    ├── VerificationFailed    a release or a table breaks a guarantee                    (exit 4)
    ├── GaveUp                the chosen solver found no release; there may be one       (exit 5)
    └── Interrupted           the user asked to stop                                     (exit 130)

Each is raised where the fact is known, with one plain sentence that names the culprit and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from diva.solve.decide import Decision


class DivaError(Exception):
    """Whatever diva raises on purpose."""

    exit_code: ClassVar[int] = 1


class BadInput(DivaError):
    """The table, an option or a constraint can't be used as it is."""

    exit_code = 2


class Unsatisfiable(DivaError):
    """No release is both k-anonymous and satisfies Σ; `decision` says why and what would do."""

    exit_code = 3

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.explanation)
        self.decision = decision

    def __reduce__(self) -> tuple[type[Unsatisfiable], tuple[Decision]]:
        """Exceptions are pickled with their text; this one is made of more."""
        return type(self), (self.decision,)


class VerificationFailed(DivaError):
    """A release isn't k-anonymous, breaks Σ or isn't a suppression of its original."""

    exit_code = 4


class GaveUp(DivaError):
    """The chosen solver found no release that satisfies Σ, though there may be one; nothing was written."""

    exit_code = 5


class OverBudget(GaveUp):
    """The colouring tried as many candidates as it may, and was stopped."""


class Interrupted(DivaError):
    """The user asked to stop; nothing was written."""

    exit_code = 130
