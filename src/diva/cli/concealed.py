"""Passwords on the command line, out of sight: everybody on a machine can read the arguments of everybody's processes.

A URI with a password is common, so the command starts itself again, as the same process, without it. The passwords go
along in the environment, which only the user (and root) can read.
"""

from __future__ import annotations

import json
import os
import re
import sys
from urllib.parse import unquote, urlsplit

from diva.relation.places import CONCEALED, is_address


def conceal() -> None:
    """Start again without passwords among the arguments, if there are any; does not return then."""
    if os.name != "posix" or CONCEALED in os.environ:
        return
    passwords: dict[str, str] = {}
    arguments = [_without_password(argument, passwords) for argument in sys.orig_argv]
    if passwords and sys.executable:
        os.environ[CONCEALED] = json.dumps(passwords)
        sys.stdout.flush()
        os.execv(sys.executable, arguments)  # noqa: S606 - itself


def _without_password(argument: str, passwords: dict[str, str]) -> str:
    """An argument, and what it hides is put among the passwords."""
    option, _, value = argument.rpartition("=") if argument.startswith("--input=") else ("", "", argument)
    if not is_address(value):
        return argument
    try:
        place = urlsplit(value).netloc
    except ValueError:
        return argument
    who, at, host = place.rpartition("@")
    user, colon, password = who.partition(":")
    if not at or not colon or re.search("%(?![0-9A-Fa-f]{2})", password):  # what is malformed libpq refuses
        return argument
    shown = value.replace(f"{place}", f"{user}@{host}", 1)
    passwords[shown] = unquote(password)
    return f"{option}={shown}" if option else shown
