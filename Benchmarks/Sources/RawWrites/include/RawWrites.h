#pragma once

/// Inserts profiles into a store that has none, each in a transaction of its own with nothing but the INSERT in it.
///
/// `sql` takes a username, phone, address, postal code, birthday, hash and id. Returns the seconds that took, or a number
/// below 0.
double raw_writes(const char *path, const char *sql, const char *hash, int count);
