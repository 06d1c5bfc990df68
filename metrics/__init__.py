"""Every figure by name: reads lake and records, calls models, answers with provenance."""
