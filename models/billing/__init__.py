"""Cost lines, their allocation and reconciliation (FOCUS, FinOps Framework)."""
