"""What DuckDB can and cannot in this project."""

from __future__ import annotations

from diva.relation.abilities import Ability, never, yes

ABILITIES = {
    Ability.FILES: yes("also gzip and zstd, and several by a pattern"),
    Ability.FOLDERS: yes("hive folders too; their columns are text"),
    Ability.FRAMES: yes("copied into DuckDB first"),
    Ability.TABLES: never("DuckDB is embedded; it reads files and frames"),
    Ability.FILE: yes(),
    Ability.FOLDER: yes("of a size, or hive folders"),
    Ability.IN_PLACE: never("the release is a file, or rows in memory"),
    Ability.TYPES: yes(),
    Ability.SHUFFLE: yes("by a hash of the published row"),
    Ability.KEEP: yes(),
    Ability.SPILLS: yes(),
    Ability.LIMITS: yes(),
    Ability.SEARCH: never("parts are solved by processes on this machine"),
    Ability.DISTRIBUTED: never("it runs inside one process"),
}
