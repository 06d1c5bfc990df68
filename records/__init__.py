"""What people type in the browser: tables, edits with a version check, an audit trail."""
