"""Yunqi Compute, a made-up company: its exports, and the code that makes them."""
