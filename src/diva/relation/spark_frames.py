"""Between numpy and Spark: small arrays go there as broadcast frames, counts come back as Arrow."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark.sql.functions import broadcast, col

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from diva.relation.types import Types


def small(session: SparkSession, columns: Mapping[str, np.ndarray | pa.Array]) -> DataFrame:
    """A frame that every executor gets a copy of."""
    return broadcast(session.createDataFrame(pa.table({n: pa.array(c) for n, c in columns.items()})))


def keys(types: Types, chosen: np.ndarray) -> dict[str, Any]:
    """What records of some types look like: QI values as text k0 …, the conditions they meet b0 …"""
    found: dict[str, Any] = {}
    for i, values in enumerate(types.values):
        codes = pa.array(types.codes[chosen, i], pa.int32())
        found[f"k{i}"] = pa.DictionaryArray.from_arrays(
            codes, pa.array(values, pa.string())
        ).dictionary_decode()
    return found | {f"b{i}": types.met[chosen, i] for i in range(len(types.conditions))}


def coded(column: pa.ChunkedArray) -> tuple[np.ndarray, list[str | None]]:
    """A column of texts as codes and their values; NULL is a value."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], pa.string())
    dictionary = whole.dictionary_encode(null_encoding="encode")
    return np.asarray(dictionary.indices), dictionary.dictionary.to_pylist()


@contextmanager
def named(frames: Mapping[str, DataFrame]) -> Iterator[dict[str, str]]:
    """Give frames names of their own, for as long as a query over them is read; nothing stays in the session."""
    token = uuid4().hex
    names = {name: f"diva_{token}_{name}" for name in frames}
    try:
        for name, frame in frames.items():
            frame.createOrReplaceTempView(names[name])
        yield names
    finally:
        for name, frame in frames.items():
            frame.sparkSession.catalog.dropTempView(names[name])


def numbered(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """Some columns of a frame, called x0, x1 … so that no name of a user's stands in a query."""
    position = {name: i for i, name in enumerate(frame.columns)}
    renamed = frame.toDF(*(f"x{i}" for i in range(len(frame.columns))))
    return renamed.select(*(col(f"x{position[name]}").alias(f"x{i}") for i, name in enumerate(names)))
