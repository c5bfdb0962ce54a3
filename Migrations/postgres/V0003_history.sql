-- What profiles were before each change. Once released this file is never edited.

-- A running program of the previous version must not write after this migration, because its changes would be missing in
-- the history. Every write names this column.
ALTER TABLE keyed_writes RENAME COLUMN made_at TO kept_at;

-- One row for each change: one call of a program or one command. An import is one change, although it may take many
-- transactions.
CREATE TABLE history_changes (
    -- Numbers are reserved in blocks, so they do not show the order of changes.
    number bigint PRIMARY KEY CHECK (number > 0),
    -- A random number, by which the later transactions of a change find this row. NULL for a change of one transaction.
    key bigint,
    made_at bigint NOT NULL,
    author text CHECK (author <> ''),
    command text CHECK (command <> ''),
    -- The file of an import.
    source text CHECK (source <> ''),
    -- The change that this change has undone.
    undoes bigint CHECK (undoes > 0),
    -- The numbers of profiles.
    added bigint NOT NULL CHECK (added >= 0),
    updated bigint NOT NULL CHECK (updated >= 0),
    removed bigint NOT NULL CHECK (removed >= 0)
);

CREATE UNIQUE INDEX history_changes_key ON history_changes (key) WHERE key IS NOT NULL;
CREATE INDEX history_changes_undoes ON history_changes (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX history_changes_age ON history_changes (made_at);

INSERT INTO counters (name, value) VALUES ('next_history_change', 1);

-- One row for each changed profile, and one row for all profiles that a transaction of an import has added.
CREATE TABLE history (
    change_number bigint NOT NULL CHECK (change_number > 0),
    part bigint NOT NULL CHECK (part > 0),
    kind text COLLATE "C" NOT NULL CHECK (kind IN (
        'registered', 'edited', 'removed', 'imported', 'updated', 'credential_changed')),
    first_profile_id bigint NOT NULL,
    last_profile_id bigint NOT NULL CHECK (last_profile_id >= first_profile_id),
    -- The revision after the change. For a removed profile, its last revision.
    revision bigint CHECK (revision > 0),
    changed_at bigint NOT NULL,
    -- The primary key of a removed profile, with its ASCII letters in lower case.
    username text COLLATE "C" CHECK (username <> ''),
    -- The changed values as JSON: each column with its text before and after. Neither passwords nor hashes.
    recorded text COLLATE "C" CHECK (recorded <> ''),
    PRIMARY KEY (change_number, part)
);

CREATE INDEX history_profile ON history (first_profile_id);
CREATE INDEX history_imported ON history (first_profile_id) WHERE kind = 'imported';
CREATE INDEX history_removed ON history (username) WHERE username IS NOT NULL;
CREATE INDEX history_age ON history (changed_at);

-- How long the history is kept, in milliseconds; 90 days at first. 0: no history.
ALTER TABLE store ADD COLUMN history_time bigint NOT NULL DEFAULT 7776000000 CHECK (history_time >= 0);
