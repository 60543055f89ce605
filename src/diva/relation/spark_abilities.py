"""What Spark can and cannot in this project."""

from __future__ import annotations

from diva.relation.abilities import Ability, never, not_yet, yes

ABILITIES = {
    Ability.FILES: yes(
        "also gzip, and several by a pattern; no CSV in zstd; cells must stand as they are, without blanks around quotes"
    ),
    Ability.FOLDERS: yes("values in names of folders (`a=1/`) are texts"),
    Ability.FRAMES: not_yet("Spark DataFrames only; no Spark Connect"),
    Ability.TABLES: yes("whatever a DataFrame can be made of, from Python"),
    Ability.FILE: never("every task writes a file of its own"),
    Ability.FOLDER: yes("of part files; how many is Spark's affair"),
    Ability.IN_PLACE: yes("`release.to_spark()` is a lazy DataFrame"),
    Ability.TYPES: yes(),
    Ability.SHUFFLE: yes(
        "by a hash with a key that is thrown away: the same rows in every run, in another order and other files"
    ),
    Ability.KEEP: never("Spark's tables have no order of rows"),
    Ability.SPILLS: yes(),
    Ability.LIMITS: yes(
        "memory of the process in `local`, of each worker in a cluster; threads are part of the master"
    ),
    Ability.DISTRIBUTED: yes("standalone clusters; others by a DataFrame"),
    Ability.SEARCH: yes(
        "on the executors, where they have the same build of DIVA; processes here otherwise, and in `local`"
    ),
}
