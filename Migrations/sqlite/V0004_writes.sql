-- Who changed something, and what came of writes that may be repeated. Once released this file is never edited.

-- The log of changes is made anew, since no CHECK of a table that is there can be changed.
CREATE TABLE kept_changes AS
    SELECT number, kind, first_profile_id, last_profile_id, changed_at FROM changes;
DROP TABLE changes;

-- The newest changes, oldest first and without a gap. Neither names nor values: what is removed must not stay here.
-- `store.change_number` is the number of the newest one.
CREATE TABLE changes (
    number INTEGER PRIMARY KEY CHECK (number > 0),
    kind TEXT NOT NULL CHECK (kind IN (
        'registered', 'edited', 'removed', 'imported', 'updated', 'adopted', 'credential_changed')),
    -- The profiles that it is about, or, when some of many were updated, the range of ids in which they lie.
    first_profile_id INTEGER,
    last_profile_id INTEGER CHECK (last_profile_id >= first_profile_id),
    changed_at INTEGER NOT NULL,
    -- Who did it, as the caller said.
    author TEXT CHECK (author <> ''),
    CHECK ((kind = 'adopted') = (first_profile_id IS NULL)),
    CHECK ((first_profile_id IS NULL) = (last_profile_id IS NULL))
) STRICT;

INSERT INTO changes (number, kind, first_profile_id, last_profile_id, changed_at)
    SELECT number, kind, first_profile_id, last_profile_id, changed_at FROM kept_changes;
DROP TABLE kept_changes;

-- What came of writes that have a key, so that a repeat gets the same answer and does nothing; for 24 hours.
CREATE TABLE keyed_writes (
    key TEXT PRIMARY KEY CHECK (key <> ''),
    -- SHA-256 of what was asked for: a key that comes with something else is refused.
    request TEXT NOT NULL CHECK (length(request) = 64),
    outcome TEXT NOT NULL CHECK (outcome <> ''),
    written_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX keyed_writes_age ON keyed_writes (written_at);
