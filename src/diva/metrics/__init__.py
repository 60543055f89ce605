"""What a release costs, who pays, and how much risk is left: figures from counts, without touching a row.

loss      stars, weighted stars, discernibility, average class size
survival  which values survive, whose records are starred
risk      prosecutor, journalist, marketer
overview  all scalar figures at once
"""

from diva.metrics.classes import Classes, classes_of
from diva.metrics.overview import Summary, summary
from diva.metrics.risk import Risk
from diva.metrics.survival import Subgroup, Survival, star_rates, star_rates_by_condition, survival

__all__ = [
    "Classes",
    "Risk",
    "Subgroup",
    "Summary",
    "Survival",
    "classes_of",
    "star_rates",
    "star_rates_by_condition",
    "summary",
    "survival",
]
