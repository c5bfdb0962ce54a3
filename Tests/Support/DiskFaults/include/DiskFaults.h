#pragma once
#include <stdint.h>

/// A library that a test loads into another process (`LD_PRELOAD`). It sees each call by which the process changes the
/// files under one folder: the calls of SQLite as well as those of our own code.
///
/// It records the calls, so that a test can work out what the disk may hold after a power failure. Or it makes calls
/// fail. It replaces functions of libc that take a descriptor or a path. For a few functions, such as
/// `copy_file_range`, it only records that the file was changed in an unknown way.
///
/// The environment of the process says what it does:
///
/// - `DISK_FAULTS_ROOT`: the absolute path of the folder, without symbolic links.
/// - `DISK_FAULTS_LOG`: records to this file, which is not under the folder. Records are appended.
/// - `DISK_FAULTS_FAIL`: `KIND AFTER TIMES`, the arguments of ``disk_faults_arm``.
/// - `DISK_FAULTS_COUNT`: when the process ends, the number of calls of the kind and of calls that failed is written to
///   this file.

/// The calls that fail, and the way in which they fail.
typedef enum {
  DISK_FAULTS_NONE = 0,
  DISK_FAULTS_ERROR = 1, ///< Any call fails with EIO.
  DISK_FAULTS_FULL = 2,  ///< A call that may need space fails with ENOSPC.
  DISK_FAULTS_SHORT = 3, ///< A write stores half of its bytes and reports that; the next fails with ENOSPC.
  DISK_FAULTS_SYNC = 4,  ///< fsync or fdatasync fails with EIO.
} disk_faults_kind;

/// Lets `after` calls of the kind succeed, then makes `times` of them fail (-1: all).
void disk_faults_arm(int kind, int64_t after, int64_t times);

/// Lets all calls succeed again. Returns the number of calls that failed since `disk_faults_arm`.
int64_t disk_faults_disarm(void);
