#pragma once
#include <stdint.h>

/// A VFS over SQLite's default one, named "fault", whose writes and syncs fail when a test says so.
///
/// It affects only files whose path begins with an armed path, so tests that run in parallel do not affect each other.
/// Up to 64 paths can be armed at once. All functions may be called from any thread.

/// Which calls fail, and with what.
typedef enum {
  FAULT_VFS_WRITE = 1, ///< xWrite fails with SQLITE_IOERR_WRITE.
  FAULT_VFS_SYNC = 2,  ///< xSync fails with SQLITE_IOERR_FSYNC.
  FAULT_VFS_FULL = 3,  ///< xWrite fails with SQLITE_FULL.
} fault_vfs_kind;

/// Registers the VFS, once, and never as the default. Returns SQLite's result code.
int fault_vfs_register(void);

/// Lets `after` calls of the kind succeed on files whose path begins with `path`, then makes `times` fail (-1: all).
void fault_vfs_arm(const char *path, fault_vfs_kind kind, int64_t after, int64_t times);

/// Disarms `path`. Returns the number of calls that failed since `path` was armed, or -1 if `path` was not armed.
int64_t fault_vfs_disarm(const char *path);

/// How many calls of the armed kind came since `path` was armed, or -1 if it is not armed.
int64_t fault_vfs_calls(const char *path);
