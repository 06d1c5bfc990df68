"""Upgrades of the records database, oldest first."""
