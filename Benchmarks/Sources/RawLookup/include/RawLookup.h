#pragma once

struct raw_lookup;

/// Opens the database and prepares a query with one parameter; null when either fails.
struct raw_lookup *raw_lookup_open(const char *path, const char *sql);

/// Binds the name, steps once, touches every column, resets. Returns 1 for a row found, 0 for none.
int raw_lookup_find(struct raw_lookup *lookup, const char *name, int length);

void raw_lookup_close(struct raw_lookup *lookup);
