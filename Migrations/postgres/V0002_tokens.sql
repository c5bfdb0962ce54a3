-- Sessions, access tokens and resets of passwords become rows of one table. Once released this file is never edited.
--
-- A token is 256 random bits. The table holds only its SHA-256, in hexadecimal digits: a reader of it can use none.

-- A running program of the previous version must not write after this migration. Every write names this column.
ALTER TABLE keyed_writes RENAME COLUMN written_at TO made_at;

-- Uses of tokens are written without a key. A transaction that writes to several of these tables locks `profiles` first, so
-- this statement takes part in no deadlock.
LOCK TABLE profiles, sessions, access_tokens, resets IN EXCLUSIVE MODE;

CREATE TABLE tokens (
    hash text COLLATE "C" PRIMARY KEY CHECK (length(hash) = 64),
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('session', 'access', 'reset')),
    -- The profile that a session or a reset belongs to: it is removed with the profile. NULL for an access token.
    profile_id bigint REFERENCES profiles (id) ON DELETE CASCADE,
    -- The label of a session, or the name of an access token.
    name text COLLATE "C" CHECK (name <> ''),
    -- The name of an access token with its ASCII letters in lower case; NULL for other tokens.
    name_key text COLLATE "C" CHECK (name_key <> ''),
    -- The scopes of an access token, separated by spaces; NULL for other tokens.
    scopes text,
    created_at bigint NOT NULL,
    -- Not every use is written.
    last_used_at bigint,
    -- When the token expires; each use of a session postpones its expiry. NULL: never.
    expires_at bigint,
    -- How long a session may stay unused, in milliseconds; ten years at most. NULL for other tokens.
    idle_time bigint CHECK (idle_time BETWEEN 1 AND 315360000000),
    -- When a session expires, however often it is used. NULL for other tokens.
    latest_expiry bigint,
    CHECK ((kind = 'access') = (profile_id IS NULL)),
    CHECK ((kind = 'access') = (scopes IS NOT NULL)),
    CHECK ((kind = 'access') = (name_key IS NOT NULL)),
    CHECK (kind <> 'access' OR name IS NOT NULL),
    CHECK (kind = 'access' OR expires_at IS NOT NULL),
    CHECK ((kind = 'session') = (idle_time IS NOT NULL)),
    CHECK ((kind = 'session') = (latest_expiry IS NOT NULL)),
    CHECK (expires_at <= latest_expiry)
);

INSERT INTO tokens (
    hash, kind, profile_id, name, created_at, last_used_at, expires_at, idle_time, latest_expiry
)
SELECT hash, 'session', profile_id, label, created_at, last_used_at, idle_expires_at, idle_time, expires_at
FROM sessions;

INSERT INTO tokens (hash, kind, name, name_key, scopes, created_at, last_used_at, expires_at)
SELECT hash, 'access', name, name_key, scopes, created_at, last_used_at, expires_at FROM access_tokens;

INSERT INTO tokens (hash, kind, profile_id, created_at, expires_at)
SELECT hash, 'reset', profile_id, created_at, expires_at FROM resets;

DROP TABLE sessions;
DROP TABLE access_tokens;
DROP TABLE resets;

CREATE INDEX tokens_profile ON tokens (profile_id);
CREATE INDEX tokens_expiry ON tokens (expires_at) WHERE kind <> 'access';
CREATE UNIQUE INDEX tokens_name ON tokens (name_key) WHERE kind = 'access';

-- The command remembers the welcome for the user of the terminal.
ALTER TABLE store DROP COLUMN is_welcomed;
