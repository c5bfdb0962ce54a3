#pragma once
#include <stdint.h>

// The records that the library DiskFaults writes, one after another: a head, the bytes of its name, and its data.

/// The kinds of records.
typedef enum {
  DISK_RECORD_CREATE = 1,   ///< A new file `inode` named `name` in the folder `folder`; no name: an unnamed file.
  DISK_RECORD_FOLDER = 2,   ///< A new folder.
  DISK_RECORD_WRITE = 3,    ///< `data` at `offset` of `inode`.
  DISK_RECORD_TRUNCATE = 4, ///< `inode` now has `offset` bytes.
  DISK_RECORD_SYNC = 5,     ///< fsync or fdatasync of `inode`, a file or a folder, has succeeded.
  DISK_RECORD_LINK = 6,     ///< `inode` got the name `name` in `folder`.
  DISK_RECORD_UNLINK = 7,   ///< The name `name` in `folder` is gone.
  DISK_RECORD_RENAME = 8,   ///< `inode` moved from `name` in `folder` to the name `data` in the folder `offset`.
  DISK_RECORD_OUTPUT = 9,   ///< `data` was written to standard output.
  DISK_RECORD_UNKNOWN = 10, ///< A call, named `data`, that changes a file in a way that is not recorded.
} disk_record_kind;

/// Before each record's name and data. Numbers are in the machine's byte order.
typedef struct {
  uint32_t kind, name_size;
  uint64_t folder, inode, offset, data_size;
} disk_record;
