-- The first tables. Times are milliseconds since 1970-01-01 UTC. Once released this file is never edited.

-- What has been done to this file, so that an altered migration is found out.
CREATE TABLE migrations (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (name <> ''),
    checksum TEXT NOT NULL CHECK (length(checksum) = 64),
    applied_at INTEGER NOT NULL
) STRICT;

-- One row: the numbers that the store counts.
CREATE TABLE store (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    -- The id that the next profile gets. An id is never given twice, also after its profile was removed.
    next_profile_id INTEGER NOT NULL CHECK (next_profile_id > 0),
    -- Rises by one with every commit that changes profiles or the schema; watchers compare it.
    change_number INTEGER NOT NULL CHECK (change_number >= 0)
) STRICT;

INSERT INTO store (only, next_profile_id, change_number) VALUES (1, 1, 0);

-- Every schema that was ever adopted; the greatest version is in force.
CREATE TABLE schemas (
    version INTEGER PRIMARY KEY CHECK (version > 0),
    name TEXT NOT NULL CHECK (name <> ''),
    fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
    document TEXT NOT NULL CHECK (document <> ''),
    adopted_at INTEGER NOT NULL
) STRICT;

-- One row a profile. Each field of a schema is a column of its own, text in canonical form; adopting a schema with
-- further fields adds their columns. Hashes stand in the profile's row because a table of their own makes a bulk
-- import 1.4 times slower; reading a profile does not name these columns.
CREATE TABLE profiles (
    id INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL CHECK (revision > 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- The schema that the row was last judged by.
    schema_version INTEGER NOT NULL CHECK (schema_version > 0),
    -- NULL for a valid profile, else what revalidation found, as JSON.
    issues TEXT CHECK (issues <> ''),
    username TEXT NOT NULL COLLATE NOCASE CHECK (username <> ''),
    phone TEXT CHECK (phone <> ''),
    address TEXT CHECK (address <> ''),
    postal_code TEXT CHECK (postal_code <> ''),
    birthday TEXT CHECK (birthday <> ''),
    password_hash TEXT CHECK (password_hash <> ''),
    -- The schema in force when the password was set.
    password_schema_version INTEGER CHECK (password_schema_version > 0),
    -- 1 when the password was typed and judged by that schema, 0 when it was brought as a hash.
    password_is_judged INTEGER CHECK (password_is_judged IN (0, 1)),
    passcode_hash TEXT CHECK (passcode_hash <> ''),
    CHECK ((password_hash IS NULL) = (password_schema_version IS NULL)),
    CHECK ((password_hash IS NULL) = (password_is_judged IS NULL))
) STRICT;

CREATE UNIQUE INDEX profiles_username ON profiles (username);
CREATE INDEX profiles_phone ON profiles (phone);
CREATE INDEX profiles_invalid ON profiles (id) WHERE issues IS NOT NULL;

-- Failed attempts in a row, by the name that was tried, known or not (its ASCII letters in lower case).
CREATE TABLE throttles (
    name TEXT NOT NULL CHECK (name <> ''),
    kind TEXT NOT NULL CHECK (kind IN ('password', 'passcode')),
    failures INTEGER NOT NULL CHECK (failures > 0),
    blocked_until INTEGER NOT NULL,
    attempted_at INTEGER NOT NULL,
    is_known INTEGER NOT NULL CHECK (is_known IN (0, 1)),
    PRIMARY KEY (name, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX throttles_unknown ON throttles (attempted_at) WHERE is_known = 0;
