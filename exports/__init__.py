"""Documents for people outside the browser; every figure comes from metrics."""
