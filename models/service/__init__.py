"""Service level objectives, error budgets and incidents (SRE terms)."""
