#pragma once
#include <sqlite3.h>

// Swift cannot call variadic functions or use SQLITE_TRANSIENT and SQLITE_STATIC, which are macros with a cast.

/// Sets a boolean option (`value` 0 or 1), or only reads it back (`value` -1).
static inline int csqlite_db_config(sqlite3 *database, int option, int value, int *result) {
  return sqlite3_db_config(database, option, value, result);
}

/// Binds a copy of UTF-8 text. Without bytes, it binds the empty text, not NULL.
static inline int csqlite_bind_text_copied(sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text ? (const char *)text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds UTF-8 text without a copy. The memory must not change until the statement is reset. Without bytes, it binds
/// the empty text, not NULL.
static inline int csqlite_bind_text_in_place(sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text ? (const char *)text : "", count, SQLITE_STATIC, SQLITE_UTF8);
}
