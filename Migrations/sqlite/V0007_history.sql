-- What profiles were before each change. Once released this file is never edited.

-- One row for each change: one call of a program or one command. An import is one change, although it may take many
-- transactions. The newest row is never removed, so no number is used twice.
CREATE TABLE history_changes (
    number INTEGER PRIMARY KEY CHECK (number > 0),
    -- A random number, by which the later transactions of a change find this row. NULL for a change of one transaction.
    key INTEGER,
    made_at INTEGER NOT NULL,
    author TEXT CHECK (author <> ''),
    command TEXT CHECK (command <> ''),
    -- The file of an import.
    source TEXT CHECK (source <> ''),
    -- The change that this change has undone.
    undoes INTEGER CHECK (undoes > 0),
    -- The numbers of profiles.
    added INTEGER NOT NULL CHECK (added >= 0),
    updated INTEGER NOT NULL CHECK (updated >= 0),
    removed INTEGER NOT NULL CHECK (removed >= 0),
    -- The first and the last entry. Other changes may have entries between them.
    first_entry INTEGER NOT NULL CHECK (first_entry > 0),
    last_entry INTEGER NOT NULL CHECK (last_entry >= first_entry)
) STRICT;

CREATE UNIQUE INDEX history_changes_key ON history_changes (key) WHERE key IS NOT NULL;
CREATE INDEX history_changes_undoes ON history_changes (undoes) WHERE undoes IS NOT NULL;

-- One row for each changed profile, and one row for all profiles that a transaction of an import has added.
CREATE TABLE history (
    entry INTEGER PRIMARY KEY CHECK (entry > 0),
    change_number INTEGER NOT NULL CHECK (change_number > 0),
    -- SQLite would make a temporary table of a list for IN at each insertion.
    kind TEXT NOT NULL CHECK (
        kind = 'updated' OR kind = 'edited' OR kind = 'registered' OR kind = 'imported' OR kind = 'removed'
        OR kind = 'credential_changed'),
    first_profile_id INTEGER NOT NULL,
    -- NULL for one profile.
    last_profile_id INTEGER CHECK (last_profile_id > first_profile_id),
    -- The revision after the change. For a removed profile, its last revision.
    revision INTEGER CHECK (revision > 0),
    changed_at INTEGER NOT NULL,
    -- The primary key of a removed profile.
    username TEXT COLLATE NOCASE CHECK (username <> ''),
    -- The changed values as JSON: each column with its text before and after. Neither passwords nor hashes.
    recorded TEXT CHECK (recorded <> '')
) STRICT;

CREATE INDEX history_profile ON history (first_profile_id);
CREATE INDEX history_imported ON history (first_profile_id) WHERE last_profile_id IS NOT NULL;
CREATE INDEX history_removed ON history (username) WHERE username IS NOT NULL;

-- How long the history is kept, in milliseconds; 90 days at first. 0: no history.
ALTER TABLE store ADD COLUMN history_time INTEGER NOT NULL DEFAULT 7776000000 CHECK (history_time >= 0);
