"""What PostgreSQL can and cannot in this project."""

from __future__ import annotations

from diva.relation.abilities import Ability, never, yes

ABILITIES = {
    Ability.FILES: never("it reads what is in the database"),
    Ability.FOLDERS: never("it reads what is in the database"),
    Ability.FRAMES: never("it reads what is in the database"),
    Ability.TABLES: yes("also views, and the answer of a query"),
    Ability.FILE: never("rows don't leave the database"),
    Ability.FOLDER: never("rows don't leave the database"),
    Ability.IN_PLACE: yes("in one transaction, its manifest as the comment"),
    Ability.TYPES: yes("domains, enumerations and collations too"),
    Ability.SHUFFLE: yes("by a hash of the published row"),
    Ability.KEEP: never("a table has no order"),
    Ability.SPILLS: yes(),
    Ability.LIMITS: never("the server has its own"),
    Ability.SEARCH: never("parts are solved by processes on this machine"),
    Ability.DISTRIBUTED: never("one server; it uses its parallel workers"),
}
