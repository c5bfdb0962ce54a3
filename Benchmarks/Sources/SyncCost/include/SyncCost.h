#pragma once

/// Registers a default VFS on top of SQLite's own. Its xSync does not sync, but sleeps for a fixed time, at first zero.
/// So the sync time of the disk does not affect the measurement. Returns SQLite's result code.
int sync_cost_vfs_register(void);

/// Sets the microseconds that each sync takes from now on, for every file.
void sync_cost_set(long microseconds);
