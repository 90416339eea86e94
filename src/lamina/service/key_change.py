"""Another key for a store: every secret is decrypted with the key it had and encrypted with the new one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from lamina.service.submission import json_hash
from lamina.service.tables import contents, counters, identities, secrets

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from lamina.service.encryption import Seal


def change_key(connection: Connection, old: Seal, new: Seal) -> None:
    """Encrypt all secrets of a store again, as part of a transaction that writes."""
    of_documents = (
        select(secrets.c.id, secrets.c.sealed, identities.c.key)
        .join(contents, contents.c.secret == secrets.c.id)
        .join(identities, identities.c.id == contents.c.identity)
        .distinct()
    )
    for row in connection.execute(of_documents).all():
        opened = old.unseal(row.sealed, row.id)
        connection.execute(
            update(secrets)
            .where(secrets.c.id == row.id)
            .values(
                # By this an unchanged secret is found again.
                fingerprint=new.fingerprint(row.key + json_hash(json.loads(opened))),
                sealed=new.seal(opened, row.id),
            )
        )
    connection.execute(update(counters).values(key_check=new.check()))
