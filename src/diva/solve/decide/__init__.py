"""Deciding (k,Σ)-anonymization exactly, with a skeleton when the answer is yes and the reason when it is no."""

from diva.solve.decide.decision import Decision, Nearest, decide, decide_table
from diva.solve.decide.signature_programme import Skeleton

__all__ = ["Decision", "Nearest", "Skeleton", "decide", "decide_table"]
