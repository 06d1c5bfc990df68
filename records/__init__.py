"""What people type in the browser: audited, versioned rows."""
