#pragma once

/// Registers a default VFS on top of SQLite's own. It does not sync. A sync only takes a fixed time, at first zero, so
/// the work itself can be measured. Returns SQLite's result code.
int sync_cost_vfs_register(void);

/// Sets the microseconds that each sync takes from now on, for every file.
void sync_cost_set(long microseconds);
