#pragma once

/// Inserts profiles into an empty store. Each has a transaction of its own that contains only the INSERT.
///
/// `sql` takes a username, phone, address, postal code, birthday, hash and id as parameters. Returns the elapsed
/// seconds, or a negative number after an error.
double raw_writes(const char *path, const char *sql, const char *hash, int count);
