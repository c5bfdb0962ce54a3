#pragma once

struct raw_lookup;

/// Opens the database and prepares a query with one parameter. Returns null if either fails.
struct raw_lookup *raw_lookup_open(const char *path, const char *sql);

/// Binds the name, steps once, reads every column and resets the statement. Returns 1 if a row was found, otherwise 0.
int raw_lookup_find(struct raw_lookup *lookup, const char *name, int length);

void raw_lookup_close(struct raw_lookup *lookup);
