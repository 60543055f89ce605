"""How kernels are compiled: once for each machine, and kept beside their file or in the user's cache.

Kernels and what they call stay in one module, for what is kept is renewed only when that module changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba

if TYPE_CHECKING:
    from collections.abc import Callable


def compiled(**options: Any) -> Callable[[Any], Any]:
    """Return a decorator: numba.njit with these options, and a cache wherever there is a folder for one.

    Where no folder can be written (an installation that belongs to somebody else, a user without a home) every run
    compiles anew; Numba would refuse to load the kernels at all.
    """

    def decorate(function: Any) -> Any:
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            return numba.njit(**options)(function)

    return decorate
