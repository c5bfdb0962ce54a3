-- The first tables. Times are milliseconds since 1970-01-01 UTC. Texts are compared by their bytes: nothing here depends
-- on a collation. Once released this file is never edited.

-- What has been done to this database, so that an altered migration is found out.
CREATE TABLE migrations (
    version bigint PRIMARY KEY,
    name text NOT NULL CHECK (name <> ''),
    checksum text NOT NULL CHECK (length(checksum) = 64),
    applied_at bigint NOT NULL
);

-- One row. Who stores a profile shares it, so that the rules by which it was judged stay in force until it is stored; who
-- puts others in force has it alone.
CREATE TABLE store (
    id bigint PRIMARY KEY CHECK (id = 1),
    -- The version of the schema in force.
    schema_version bigint NOT NULL CHECK (schema_version >= 0),
    -- Whether a bulk load has taken the indexes away: nobody else may write profiles then.
    is_loading boolean NOT NULL,
    -- Whether the welcome notice was shown.
    is_welcomed boolean NOT NULL
);

INSERT INTO store (id, schema_version, is_loading, is_welcomed) VALUES (1, 0, false, false);

-- Numbers that rise by themselves, each with a row of its own, so that who takes one stands in nobody else's way.
CREATE TABLE counters (
    name text COLLATE "C" PRIMARY KEY,
    value bigint NOT NULL CHECK (value >= 0)
);

-- The id that the next profile gets (ids are reserved in blocks, and never given twice); the number of the newest change;
-- the rows of `throttles` whose name no profile has. The row `loads` counts nothing: a bulk load holds it while it lives.
INSERT INTO counters (name, value)
    VALUES ('next_profile_id', 1), ('change_number', 0), ('unknown_throttles', 0), ('loads', 0);

-- Every schema that was ever adopted.
CREATE TABLE schemas (
    version bigint PRIMARY KEY CHECK (version > 0),
    name text NOT NULL CHECK (name <> ''),
    fingerprint text NOT NULL CHECK (length(fingerprint) = 64),
    document text NOT NULL CHECK (document <> ''),
    adopted_at bigint NOT NULL
);

-- One row a profile. Each field of a schema is a column of its own, text in canonical form; adopting a schema with further
-- fields adds their columns. No field's name has a `$`, so that a column of our own with one is in nobody's way.
CREATE TABLE profiles (
    id bigint PRIMARY KEY,
    revision bigint NOT NULL CHECK (revision > 0),
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    -- The schema that the row was last judged by.
    schema_version bigint NOT NULL CHECK (schema_version > 0),
    -- NULL for a valid profile, else what revalidation found, as JSON.
    issues text CHECK (issues <> ''),
    username text COLLATE "C" NOT NULL CHECK (username <> ''),
    -- The username with its ASCII letters in lower case, by which profiles are known.
    username$key text COLLATE "C" NOT NULL CHECK (username$key <> ''),
    password_hash text COLLATE "C" CHECK (password_hash <> ''),
    -- The schema in force when the password was set.
    password_schema_version bigint CHECK (password_schema_version > 0),
    -- Whether the password was typed and judged by that schema, rather than brought as a hash.
    password_is_judged boolean,
    passcode_hash text COLLATE "C" CHECK (passcode_hash <> ''),
    CHECK ((password_hash IS NULL) = (password_schema_version IS NULL)),
    CHECK ((password_hash IS NULL) = (password_is_judged IS NULL))
);

CREATE UNIQUE INDEX profiles_username ON profiles (username$key);
CREATE INDEX profiles_invalid ON profiles (id) WHERE issues IS NOT NULL;
-- Whether a password is there that the rules in force have not judged is asked at every login.
CREATE INDEX profiles_passwords ON profiles (password_is_judged, password_schema_version)
    WHERE password_hash IS NOT NULL;

-- What happened to profiles and rules, for those who watch the store. Neither names nor values: what is removed must not
-- stay here. A change is written without a number; who reads the log numbers what has been committed, so that numbers have
-- no gap and nobody who writes waits for another.
CREATE TABLE changes (
    -- The key of the write, and which of its changes this is.
    write text COLLATE "C" NOT NULL,
    part bigint NOT NULL,
    number bigint CHECK (number > 0),
    -- When the row was written, in microseconds by the server's clock: the order of what has no number yet.
    written_at bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN (
        'registered', 'edited', 'removed', 'imported', 'updated', 'adopted', 'credential_changed')),
    -- The profiles that it is about, or, when some of many were updated, the range of ids in which they lie.
    first_profile_id bigint,
    last_profile_id bigint CHECK (last_profile_id >= first_profile_id),
    changed_at bigint NOT NULL,
    -- Who did it, as the caller said.
    author text CHECK (author <> ''),
    PRIMARY KEY (write, part),
    CHECK ((kind = 'adopted') = (first_profile_id IS NULL)),
    CHECK ((first_profile_id IS NULL) = (last_profile_id IS NULL))
);

CREATE UNIQUE INDEX changes_number ON changes (number);
CREATE INDEX changes_unnumbered ON changes (written_at) WHERE number IS NULL;

-- What came of writes, so that a repeat does nothing and gets the same answer; for 24 hours. Every write has a row: a key
-- of the caller's, or one of our own, by which it is found out what became of it when its answer was lost.
CREATE TABLE keyed_writes (
    key text COLLATE "C" PRIMARY KEY CHECK (key <> ''),
    -- SHA-256 of what was asked for: a caller's key that comes with something else is refused. NULL for our own.
    request text CHECK (length(request) = 64),
    outcome text NOT NULL CHECK (outcome <> ''),
    written_at bigint NOT NULL
);

CREATE INDEX keyed_writes_age ON keyed_writes (written_at);

-- Failed attempts in a row, by the name that was tried, known or not (its ASCII letters in lower case).
CREATE TABLE throttles (
    name text COLLATE "C" NOT NULL CHECK (name <> ''),
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('password', 'passcode')),
    failures bigint NOT NULL CHECK (failures >= 0),
    blocked_until bigint NOT NULL,
    attempted_at bigint NOT NULL,
    is_known boolean NOT NULL,
    PRIMARY KEY (name, kind)
);

CREATE INDEX throttles_unknown ON throttles (attempted_at) WHERE NOT is_known;

-- A token is 256 random bits. Here stands its SHA-256 alone, in hexadecimal digits: who reads this can use none.

-- Somebody who is logged in, on one device. A session goes with its profile, and with its profile's password. It may be left
-- alone for `idle_time` milliseconds, ten years at the most; `last_used_at` is not written with each use.
CREATE TABLE sessions (
    hash text COLLATE "C" PRIMARY KEY CHECK (length(hash) = 64),
    profile_id bigint NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    label text CHECK (label <> ''),
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    idle_time bigint NOT NULL CHECK (idle_time BETWEEN 1 AND 315360000000),
    idle_expires_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    CHECK (idle_expires_at <= expires_at)
);

CREATE INDEX sessions_profile ON sessions (profile_id);
CREATE INDEX sessions_expiry ON sessions (idle_expires_at);

-- What lets a program in. The words of `scopes` are separated by a space each.
CREATE TABLE access_tokens (
    hash text COLLATE "C" PRIMARY KEY CHECK (length(hash) = 64),
    name text COLLATE "C" NOT NULL CHECK (name <> ''),
    -- The name with its ASCII letters in lower case.
    name_key text COLLATE "C" NOT NULL CHECK (name_key <> ''),
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    last_used_at bigint
);

CREATE UNIQUE INDEX access_tokens_name ON access_tokens (name_key);

-- Leave to set a profile's password, one a profile at a time.
CREATE TABLE resets (
    profile_id bigint PRIMARY KEY REFERENCES profiles (id) ON DELETE CASCADE,
    hash text COLLATE "C" NOT NULL CHECK (length(hash) = 64),
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

CREATE UNIQUE INDEX resets_hash ON resets (hash);
CREATE INDEX resets_expiry ON resets (expires_at);
