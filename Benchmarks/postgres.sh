#!/usr/bin/env bash
# Measures a store on a separate PostgreSQL server together with its yardsticks. Also compares a file, that server and a
# cluster of three servers. The measurements alternate in one run, and the medians are written to POSTGRES.md. All
# servers are on this machine and sync their writes.
#
#     ROWS=1000000  rows of the standard file              RUNS=5   runs of each measurement, 15 of the short ones
#     ONLY=import   one job: import again lookup register places DATA=DIR scratch folder, ${TMPDIR:-/tmp}/profiles-bench
#     RESULTS=FILE  file for the table; by default, only a complete run of 1,000,000 rows replaces POSTGRES.md
set -euo pipefail
cd "$(dirname "$0")"

source measuring.bash POSTGRES.md ../.build-postgres/release/profiles
callers=32
# These runs are short. There are three times as many, because the load of other processes changes every second.
seconds=2
short_turns() { seq 1 $((3 * runs)); }
cc -O2 -Wall -Wextra -Werror -std=gnu17 "-I$(/usr/bin/pg_config --includedir)" Yardsticks/postgres/pglookup.c \
    -o "$data/pglookup" -lpq -lpthread
case $only in
import | again) ;; # These measure the command alone.
*) swift build -c release --product StoreLoad > "$data/run.log" 2>&1 || { cat "$data/run.log" >&2; exit 1; } ;;
esac
generate standard.csv "$rows" 0

servers=../Tests/Programs/Cluster
server() { BASE="$data/server" "$servers/postgres-server" "$@"; }
cluster() { BASE="$data/cluster" PORT_BASE=6200 "$servers/postgres-cluster" "$@"; }
trap 'server down; cluster down' EXIT
SETTINGS=$'fsync = on\nfull_page_writes = on\nshared_buffers = 1GB\nmax_wal_size = 8GB' server up
uri=$(server url)
ask() { psql "$uri" -X -q -v ON_ERROR_STOP=1 "$@"; }
empty() { # SCHEMA: prints a command that replaces the store in a schema by an empty one
    echo "psql '$uri' -Xqc 'SET client_min_messages = warning' -c 'DROP SCHEMA IF EXISTS $1 CASCADE' -c CHECKPOINT; $profiles init --database '$uri&schema=$1' --quiet"
}

# ── The tables and SQL of the product, which the yardsticks repeat. Change them here when the product changes ─────────────
shown_columns="id, revision, created_at, updated_at, schema_version, issues, password_hash IS NOT NULL, username, phone, address, postal_code, birthday"
# A table with the columns and indexes of the product. The indexes are created after the rows are copied.
cat > "$data/copy.sql" <<END
CREATE TABLE copied.profiles (id bigint GENERATED ALWAYS AS IDENTITY, revision bigint NOT NULL DEFAULT 1,
    created_at bigint NOT NULL DEFAULT 1700000000000, updated_at bigint NOT NULL DEFAULT 1700000000000,
    schema_version bigint NOT NULL DEFAULT 1, issues text, username text COLLATE "C" NOT NULL,
    username\$key text COLLATE "C" GENERATED ALWAYS AS (lower(username)) STORED, password_hash text COLLATE "C",
    password_schema_version bigint DEFAULT 1, password_is_judged boolean DEFAULT false,
    passcode_hash text COLLATE "C", phone text COLLATE "C", address text COLLATE "C", postal_code text COLLATE "C",
    birthday text COLLATE "C");
\copy copied.profiles ($(head -1 "$data/standard.csv")) FROM '$data/standard.csv' (FORMAT csv, HEADER)
CREATE UNIQUE INDEX ON copied.profiles (id);
CREATE UNIQUE INDEX ON copied.profiles (username\$key);
CREATE INDEX ON copied.profiles (password_is_judged, password_schema_version) WHERE password_hash IS NOT NULL;
CREATE INDEX ON copied.profiles (phone);
END
# Writes hand-made SQL that imports a file again: it copies the rows into a temporary table and merges them.
merge() { # NAME FILE [WHEN MATCHED …]
    local columns changed
    columns=$(head -1 "$data/standard.csv")
    changed=$(sed 's/[a-z_][a-z_]*/stored.& IS DISTINCT FROM new.&/g; s/,/ OR /g' <<< "${columns#username,}")
    cat > "$data/$1.sql" <<END
CREATE TEMPORARY TABLE new AS SELECT $columns FROM copied.profiles LIMIT 0;
\\copy new ($columns) FROM '$data/$2' (FORMAT csv, HEADER)
MERGE INTO copied.profiles stored USING new ON stored.username\$key = lower(new.username)
$([ -z "${3:-}" ] || echo "WHEN MATCHED AND ($changed) THEN UPDATE SET revision = stored.revision + 1, updated_at = 1700000000001,
    $(sed 's/[a-z_][a-z_]*/& = new.&/g' <<< "${columns#username,}")")
WHEN NOT MATCHED THEN INSERT ($columns) VALUES ($(sed 's/[a-z_][a-z_]*/new.&/g' <<< "$columns"));
END
}
# The statements that register one profile, in one round trip.
cat > "$data/register.sql" <<END
\set name random(1, 9000000000000000000)
\startpipeline
BEGIN;
INSERT INTO keyed_writes (key, request, outcome, made_at) VALUES (:name::text, NULL, '0', 1700000000000);
SELECT schema_version, is_loading FROM store WHERE id = 1 FOR SHARE;
INSERT INTO profiles (id, created_at, updated_at, schema_version, password_schema_version, password_is_judged, username\$key,
    revision, username, password_hash, phone, address, postal_code, birthday)
    VALUES (:name, 1700000000000, 1700000000000, 1, 1, false, :name::text, 1, :name::text,
    '\$argon2id\$v=19\$m=19456,t=2,p=1\$ypUYnQZSQQOq9pivEtjG8w\$V7S9SK6Z6JO5ZOTfRF8XhGONnRyFDistsnjOI6zUgXc',
    '7876-1241', '12 Main St', NULL, NULL) ON CONFLICT DO NOTHING;
SELECT $shown_columns FROM profiles WHERE id = :name;
WITH forgotten AS (DELETE FROM throttles WHERE name = :name::text RETURNING is_known),
    unknown AS (SELECT count(*) AS number FROM forgotten WHERE NOT is_known)
    UPDATE counters SET value = greatest(value - unknown.number, 0) FROM unknown
    WHERE name = 'unknown_throttles' AND unknown.number > 0;
INSERT INTO changes (write, part, written_at, kind, first_profile_id, last_profile_id, changed_at)
    VALUES (:name::text, 0, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 'registered', :name, :name, 1700000000000);
COMMIT;
\endpipeline
END
# ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

# Runs a program once. The program prints the time of one of its operations.
load() { # NAME COMMAND…
    "${@:2}" > "$data/run.out" || { echo "bench: failed: ${*:2}" >&2; exit 1; }
    sqlite3 "$log" "INSERT INTO measurement SELECT '$1', json_extract(CAST(readfile('$data/run.out') AS TEXT), '\$.seconds'), 0"
    printf '  %-28s %s a second\n' "$1" "$(sqlite3 "$log" "SELECT round(1 / seconds) FROM measurement ORDER BY rowid DESC LIMIT 1")"
}
compare_rates() { # JOB OURS YARDSTICK [GOAL]
    local ours yardstick
    ours=$(median "$2") yardstick=$(median "$3")
    add_row "$1" "$(number %.0f "1 / $ours")" "$3: $(number %.0f "1 / $yardstick")" "$yardstick / $ours" "${4:-}"
}

if wanted import; then
    echo "import, $rows rows"
    for _ in $(turns); do
        measure "import" "$(empty imported)" "$profiles import $data/standard.csv --database '$uri&schema=imported' ${import_flags[*]}"
        measure "\\copy" "psql '$uri' -Xqc 'SET client_min_messages = warning' -c 'DROP SCHEMA IF EXISTS copied CASCADE' -c 'CREATE SCHEMA copied' -c CHECKPOINT" \
            "psql '$uri' -Xq -v ON_ERROR_STOP=1 -f $data/copy.sql"
        measure ".import" "rm -f $data/new.db*" "$(shell_import "$data/standard.csv" "$data/new.db")"
    done
    rm -f "$data"/new.db*
    ask -c 'SET client_min_messages = warning' -c 'DROP SCHEMA copied CASCADE'
    compare "import $rows rows into a new store" import "\\copy" "<= 1.50"
    compare "the same" import ".import" "<= 0.60"
    peak=$(median import kilobytes)
    add_row "peak memory of that import" "$(number "%.0f MiB" "$peak / 1024")" "128 MiB" "$peak / 1024.0 / 128" "<= 1.00"
fi

if wanted again; then
    echo "import the same $rows rows again"
    change() { awk -F, -v OFS=, "NR > 1 && NR % $1 == 0 { \$3 = \$3 \" x\" } 1" "$data/standard.csv" > "$data/$2"; }
    change 1 all.csv
    change 100 hundredth.csv
    merge skip standard.csv
    merge unchanged standard.csv update
    merge hundredth hundredth.csv update
    merge all all.csv update
    again() { # NAME POLICY FILE
        measure "$1" "$fresh" "$profiles import $data/$3 --database '$uri&schema=again' --on-duplicate $2 ${import_flags[*]}"
        measure "$1, MERGE" "$fresh_copy" "psql '$uri' -Xq -v ON_ERROR_STOP=1 -f $data/$1.sql"
    }
    # Each run has a store without dead rows.
    fresh="$(empty again); $profiles import $data/standard.csv --database '$uri&schema=again' ${import_flags[*]}
        psql '$uri' -Xqc 'VACUUM ANALYZE again.profiles' -c CHECKPOINT"
    fresh_copy="psql '$uri' -Xqc 'SET client_min_messages = warning' -c 'DROP SCHEMA IF EXISTS copied CASCADE' -c 'CREATE SCHEMA copied'
        psql '$uri' -Xq -v ON_ERROR_STOP=1 -f $data/copy.sql
        psql '$uri' -Xqc 'VACUUM ANALYZE copied.profiles' -c CHECKPOINT"
    for _ in $(turns); do
        again skip skip standard.csv
        again unchanged update standard.csv
        again hundredth update hundredth.csv
        again all update all.csv
    done
    rm "$data/all.csv" "$data/hundredth.csv"
    ask -c 'SET client_min_messages = warning' -c 'DROP SCHEMA copied CASCADE' -c 'DROP SCHEMA again CASCADE'
    compare "import the same $rows rows again, skipped" skip "skip, MERGE" "<= 1.50"
    compare "the same as updates, nothing changed" unchanged "unchanged, MERGE" "<= 1.50"
    compare "the same, one in 100 changed" hundredth "hundredth, MERGE" "<= 1.50"
    compare "the same, all changed" all "all, MERGE" "<= 1.50"
fi

if wanted lookup; then
    echo "look up by username, $callers callers and one"
    store="$uri&schema=looked_up"
    eval "$(empty looked_up)"
    "$profiles" import "$data/standard.csv" --database "$store" "${import_flags[@]}" > "$data/run.out"
    ask -c 'VACUUM ANALYZE looked_up.profiles'
    awk -F, 'NR > 1 && NR % 50 == 0 { print $1 }' "$data/standard.csv" > "$data/run.names"
    tr A-Z a-z < "$data/run.names" > "$data/run.keys"
    sql="SELECT $shown_columns FROM looked_up.profiles WHERE username\$key = \$1"
    for count in "$callers" 1; do
        for _ in $(short_turns); do
            load "libpq, $count" "$data/pglookup" "$uri" "$sql" "$data/run.keys" "$count" "$seconds"
            load "look up, $count" .build/release/StoreLoad look-up "$store" "$count" "$seconds" < "$data/run.names"
        done
    done
    compare_rates "look-ups a second, $callers callers" "look up, $callers" "libpq, $callers" ">= 0.75"
    compare_rates "look-ups a second, one caller" "look up, 1" "libpq, 1"
fi

if wanted register; then
    echo "register, $callers callers and one"
    eval "$(empty registered)"
    store="$uri&schema=registered&connections=$callers"
    export PGOPTIONS="-c search_path=registered"
    for count in "$callers" 1; do
        for _ in $(short_turns); do
            # pgbench prints `tps = 1234.5 (without initial connection time)`.
            load "pgbench, $count" bash -c "pgbench '$uri' -n -M prepared -f $data/register.sql -c $count -j $threads -T $seconds |
                awk '/^tps/ { printf \"{\\\"seconds\\\": %.9f}\n\", 1 / \$3 }'"
            PGOPTIONS= load "register, $count" .build/release/StoreLoad register "$store" "$count" "$seconds"
        done
    done
    compare_rates "registrations a second, $callers callers" "register, $callers" "pgbench, $callers" ">= 0.70"
    compare_rates "registrations a second, one caller" "register, 1" "pgbench, 1"
fi

if wanted places; then
    echo "a file, a server, and three of which a commit is on two"
    cluster up > "$data/run.out"
    declare -A places=([file]="$data/new.db" [server]="$uri&schema=places&connections=$callers"
        [cluster]="$(cluster url)&schema=places&connections=$callers")
    awk -F, 'NR > 1 && NR % 50 == 0 { print $1 }' "$data/standard.csv" > "$data/run.names"
    for _ in $(turns); do
        for place in file server cluster; do
            target=${places[$place]}
            case $place in
            file) prepare="rm -f $data/new.db*; $profiles init --database $target --quiet" ;;
            server) prepare=$(empty places) ;;
            cluster) prepare="psql '$(cluster url)' -Xqc 'SET client_min_messages = warning' -c 'DROP SCHEMA IF EXISTS places CASCADE';
                $profiles init --database '$target' --quiet" ;;
            esac
            measure "$place: import" "$prepare" "$profiles import $data/standard.csv --database '$target' ${import_flags[*]}"
            for count in 1 "$callers"; do
                load "$place: look up, $count" .build/release/StoreLoad look-up "$target" "$count" "$seconds" < "$data/run.names"
                load "$place: register, $count" .build/release/StoreLoad register "$target" "$count" "$seconds"
            done
        done
    done
    rm -f "$data"/new.db*
    for place in server cluster; do
        compare "$place: import $rows rows into a new store" "$place: import" "file: import"
        for count in 1 "$callers"; do
            compare_rates "$place: look-ups a second, callers: $count" "$place: look up, $count" "file: look up, $count"
            compare_rates "$place: registrations a second, callers: $count" "$place: register, $count" "file: register, $count"
        done
    done
fi

write_table "Speed on a PostgreSQL server" "\`make bench-postgres\`" "PostgreSQL $(ask -Atc 'SHOW server_version')"
rm -f "$data"/*.db*
