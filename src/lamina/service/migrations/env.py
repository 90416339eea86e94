"""Runs migrations on the connection that the store opened."""

from __future__ import annotations

from alembic import context

from lamina.service.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
