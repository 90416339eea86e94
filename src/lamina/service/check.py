"""Whether a store could be served as it is asked: nothing is made or changed."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from sqlalchemy import select

from lamina.errors import Diagnostic, InputError
from lamina.service.database import Database
from lamina.service.encryption import Seal, key_from_file
from lamina.service.server import default_key_file, given_key
from lamina.service.tables import counters
from lamina.service.tokens import TokenStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lamina.service.settings import ServerSettings


def checked(url: str, settings: ServerSettings, key_file: Path | None, old_key_file: Path | None) -> Iterator[str]:
    """What a server would do, line by line; it fails where the server would."""
    if settings.keystone_file is not None:
        from lamina.service.keystone import KeystoneTokens

        KeystoneTokens(settings.keystone_file)
        yield f"{settings.keystone_file}: can be read; Keystone was not asked"
    with closing(Database(url)) as database:
        default = default_key_file(database)
        given = given_key(key_file)
        if given is None and default.is_file():
            given = key_from_file(default)
        if database.is_empty():
            yield f"{database.name}: a new store will be made"
        elif not database.is_current():
            yield f"{database.name}: its tables will be brought up to date; make a backup first"
        else:
            _check_key(database, [given, None if old_key_file is None else key_from_file(old_key_file)])
            yield f"{database.name}: can be served"
            if settings.auth == "token" and not TokenStore(database).all():
                yield "there are no tokens yet: 'lamina store token create' makes one"
        if given is None and not database.in_memory:
            yield f"a key for secrets will be made: {default}"


def _check_key(database: Database, keys: list[bytes | None]) -> None:
    with database.reading() as connection:
        check = connection.execute(select(counters.c.key_check)).scalar_one()
    if check is not None and not any(key is not None and Seal(key).opens(check) for key in keys):
        raise InputError(
            Diagnostic(
                code="wrong-key",
                message=f"the store {database.name} was made with another key for secrets",
                hint="give the key it was made with: --key-file, or LAMINA_SERVICE_KEY",
            )
        )
