"""The way in: readers, loads, lake and marts."""
