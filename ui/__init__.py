"""What pages share: theme, charts, tables, filters, tiles, states, languages."""
