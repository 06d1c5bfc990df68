"""Runs the upgrades over the connection that records/database.py hands in."""

from alembic import context

from records.tables import metadata

connection = context.config.attributes["connection"]
# The caller's transaction holds every step, so a crash leaves the old shape whole.
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
