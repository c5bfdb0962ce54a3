#pragma once

/// Registers a VFS over SQLite's own, as the default one, which syncs nothing: what is left is the work itself.
/// Returns SQLite's result code.
int unsynced_vfs_register(void);

/// Hashing is left out as well: libsodium's Argon2, as this program links it, gives zeros, and takes every secret for the
/// right one. See LoginStubs.c.
