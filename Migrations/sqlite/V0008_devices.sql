-- Tokens of devices, on which a person has logged in. Once released this file is never edited.

-- No CHECK of an existing table can be changed, so the table is made again.
CREATE TABLE kept_tokens AS SELECT * FROM tokens;
DROP TABLE tokens;

CREATE TABLE tokens (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
    kind TEXT NOT NULL CHECK (kind IN ('session', 'access', 'reset', 'device')),
    -- The profile that the token belongs to: it is removed with the profile. NULL for an access token.
    profile_id INTEGER REFERENCES profiles (id) ON DELETE CASCADE,
    -- The label of a session or a device, or the name of an access token.
    name TEXT COLLATE NOCASE CHECK (name <> ''),
    -- The scopes of an access token, separated by spaces; NULL for other tokens.
    scopes TEXT,
    created_at INTEGER NOT NULL,
    -- Not every use is written.
    last_used_at INTEGER,
    -- When the token expires; each use of a session and each login on a device postpones its expiry. NULL: never.
    expires_at INTEGER,
    -- How long a session may stay unused, in milliseconds; ten years at most. NULL for other tokens.
    idle_time INTEGER CHECK (idle_time BETWEEN 1 AND 315360000000),
    -- When a session expires, however often it is used. NULL for other tokens.
    latest_expiry INTEGER,
    CHECK ((kind = 'access') = (profile_id IS NULL)),
    CHECK ((kind = 'access') = (scopes IS NOT NULL)),
    CHECK (kind <> 'access' OR name IS NOT NULL),
    CHECK (kind = 'access' OR expires_at IS NOT NULL),
    CHECK ((kind = 'session') = (idle_time IS NOT NULL)),
    CHECK ((kind = 'session') = (latest_expiry IS NOT NULL)),
    CHECK (expires_at <= latest_expiry)
) STRICT, WITHOUT ROWID;

INSERT INTO tokens SELECT * FROM kept_tokens;
DROP TABLE kept_tokens;

CREATE INDEX tokens_profile ON tokens (profile_id);
CREATE INDEX tokens_expiry ON tokens (expires_at) WHERE kind <> 'access';
CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE kind = 'access';
