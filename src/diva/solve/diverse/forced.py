"""What Σ leaves no choice about: pairs (type, group) that no plan satisfying it uses.

* Where λl = |I_σ|, every record of I_σ must count: its groups preserve σ.
* Where λr = 0, or λr < k and the count can only be a sum of whole groups, no record may count.

Leaving the other pairs out loses nothing and makes the bound stronger than any price could.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma


def without_choice(lattice: Lattice, sigma: Sigma) -> tuple[Lattice, Sigma]:
    """Return the lattice without such pairs, and Σ on what is left of it."""
    all_of, none_of = sigma.unanimous, sigma.banned(lattice.k)
    if not (all_of.any() or none_of.any()):
        return lattice, sigma
    owner = np.repeat(np.arange(len(lattice.counts)), np.diff(lattice.type_start))
    allowed = np.ones(len(owner), dtype=bool)
    for c in np.flatnonzero(all_of | none_of).tolist():
        counts = sigma.preserves[lattice.group, c] & sigma.met[owner, c]
        allowed &= ~counts if none_of[c] else counts | ~sigma.carried[owner, c]
    part, kept = lattice.only(allowed)
    return part, sigma.on(kept)
