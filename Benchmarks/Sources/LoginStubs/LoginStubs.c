#include "LoginStubs.h"

#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

// ── A VFS without syncs ───────────────────────────────────────────────────────────────────────────────────────────────

static sqlite3_vfs *below;
static sqlite3_vfs unsynced;
// Those of the VFS below but for xSync; it has several kinds of files, and each its own methods.
static struct { const sqlite3_io_methods *original; sqlite3_io_methods methods; } kinds[8];

static int no_sync(sqlite3_file *file, int flags) {
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    int result = below->xOpen(below, path, file, flags, out_flags);
    if (!file->pMethods) return result;
    // Files are opened by one thread at a time here: the benchmark opens its stores one after the other.
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].original) {
            kinds[i].original = file->pMethods;
            kinds[i].methods = *file->pMethods;
            kinds[i].methods.xSync = no_sync;
        }
        if (kinds[i].original == file->pMethods) {
            file->pMethods = &kinds[i].methods;
            return result;
        }
    }
    return result;
}

int unsynced_vfs_register(void) {
    below = sqlite3_vfs_find(NULL);
    if (!below) return SQLITE_ERROR;
    unsynced = *below;
    unsynced.zName = "unsynced";
    unsynced.pNext = NULL;
    unsynced.xOpen = open_file;
    return sqlite3_vfs_register(&unsynced, 1);
}

// ── No hashing: these names come before libsodium's own ───────────────────────────────────────────────────────────────

int crypto_pwhash_argon2id(unsigned char *out, unsigned long long count, const char *secret, unsigned long long length,
                           const unsigned char *salt, unsigned long long operations, size_t memory, int algorithm) {
    (void)secret, (void)length, (void)salt, (void)operations, (void)memory, (void)algorithm;
    memset(out, 0, (size_t)count);
    return 0;
}

int crypto_pwhash_argon2id_str_verify(const char *hash, const char *secret, unsigned long long length) {
    (void)hash, (void)secret, (void)length;
    return 0;
}
