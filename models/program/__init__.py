"""Tasks, schedule, milestones and risks (MSPDI, PMI terms)."""
