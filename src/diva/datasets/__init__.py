"""Public tables to try things out on, and a synthetic population: found, downloaded, prepared, checked.

catalogue  which tables there are, where they come from, and what the prepared table hashes to
prepare    a publisher's files become one table with a header
popsyn     the synthetic population of the paper's experiments
find       where a table is: DIVA_DATA, or the cache
get        brings a table into the cache; the only part of diva that uses the network
"""

from diva.datasets.catalogue import DATASETS, Dataset
from diva.datasets.find import Found, find, require
from diva.datasets.get import get

__all__ = ["DATASETS", "Dataset", "Found", "find", "get", "require"]
