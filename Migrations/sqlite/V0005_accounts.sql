-- Sessions, access tokens and resets of passwords. Once released this file is never edited.
--
-- A token is 256 random bits. Here stands its SHA-256 alone, in hexadecimal digits: who reads this file can use none.

-- Somebody who is logged in, on one device. A session goes with its profile, and with its profile's password. It may be left
-- alone for `idle_time` milliseconds, ten years at the most; `last_used_at` is not written with each use.
CREATE TABLE sessions (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
    profile_id INTEGER NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    label TEXT CHECK (label <> ''),
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    idle_time INTEGER NOT NULL CHECK (idle_time BETWEEN 1 AND 315360000000),
    idle_expires_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    CHECK (idle_expires_at <= expires_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_profile ON sessions (profile_id);
CREATE INDEX sessions_expiry ON sessions (idle_expires_at);

-- What lets a program in. The words of `scopes` are separated by a space each.
CREATE TABLE access_tokens (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
    name TEXT NOT NULL COLLATE NOCASE CHECK (name <> ''),
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX access_tokens_name ON access_tokens (name);

-- Leave to set a profile's password, one a profile at a time.
CREATE TABLE resets (
    profile_id INTEGER PRIMARY KEY REFERENCES profiles (id) ON DELETE CASCADE,
    hash TEXT NOT NULL CHECK (length(hash) = 64),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX resets_hash ON resets (hash);
CREATE INDEX resets_expiry ON resets (expires_at);
