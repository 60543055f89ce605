"""Certificates: how few stars any plan must have."""

from diva.solve.bounds.blocks import lower_bound
from diva.solve.bounds.lagrange import Bound

__all__ = ["Bound", "lower_bound"]
