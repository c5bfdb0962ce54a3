#pragma once

/// Registers a VFS over SQLite's own, as the default one, which takes a fixed time for a sync and syncs nothing: at first
/// none, so that what is left is the work itself. Returns SQLite's result code.
int sync_cost_vfs_register(void);

/// How long a sync takes from now on, for every file.
void sync_cost_set(long microseconds);
