"""How the records database is upgraded (Alembic)."""
