#!/usr/bin/env bash
# Measures the product and its yardsticks in alternation in one run, and writes the medians to RESULTS.md.
#
#     ROWS=1000000  rows of the standard file          RUNS=5   runs of each measurement
#     ONLY=extra    one job: import again edit extra validate infer export summary lookup contains find browse revalidate process login writes hashing long
#     LONG=1        also import ten times the rows     DATA=DIR scratch folder, ${TMPDIR:-/tmp}/profiles-bench
#     RESULTS=FILE  file for the table; by default, only a complete run of 1,000,000 rows replaces RESULTS.md
set -euo pipefail
cd "$(dirname "$0")"

source measuring.bash RESULTS.md ../.build/release/profiles
long=${LONG:-}
python=$PWD/.build/python/bin/python yardsticks=$PWD/Yardsticks

# ── The table and SQL of the product, which the yardsticks repeat. Change them here when the product changes ──────────────
insert_sql="INSERT INTO profiles (id, revision, created_at, updated_at, schema_version, password_schema_version,
    password_is_judged, username, phone, address, postal_code, birthday, password_hash)
    VALUES (?7, 1, 1700000000000, 1700000000000, 1, 1, 0, ?1, ?2, ?3, ?4, ?5, ?6)"
shown_columns="id, revision, created_at, updated_at, schema_version, issues, password_hash IS NOT NULL, username, phone, address, postal_code, birthday"
batch=${BATCH:-5000}
edited_sql=("SELECT id, revision, address FROM profiles WHERE id > ?1 ORDER BY id LIMIT ?2"
    "UPDATE profiles SET address = ?2, revision = revision + 1, updated_at = 1700000000000, schema_version = 1,
        issues = NULL WHERE id = ?1"
    "INSERT INTO history (change_number, kind, first_profile_id, revision, changed_at, recorded)
        VALUES (1, 'updated', ?1, ?2, 1700000000000, ?3)")
# ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

generate standard.csv "$rows" 0
extra_rows=$((rows / 10))
generate extra.csv "$extra_rows" 10500000
generate plain.csv 200 10900000 plain

remove() { echo "rm -f $data/$1 $data/$1-* $data/$1.*"; }

# The store with all ROWS that most jobs need. The product creates it.
store=$data/store.db
need_store() { [ -f "$store" ] || "$profiles" import "$data/standard.csv" --database "$store" "${import_flags[@]}" > "$data/run.out"; }

if wanted import || wanted validate; then
    echo "import and validate, $rows rows"
    for _ in $(turns); do
        measure "import" "$(remove new.db)" "$profiles import $data/standard.csv --database $data/new.db ${import_flags[*]}"
        measure "c indexes afterwards" "$(remove new.db); $profiles init --database $data/new.db --quiet" \
            "$data/insert $data/new.db $data/standard.csv '$insert_sql'"
        wanted import && measure ".import" "$(remove new.db)" "$(shell_import "$data/standard.csv" "$data/new.db")"
        # An import into a store that exists uses the write-ahead log, so other programs can read the store meanwhile.
        wanted import && measure "import into an empty store" "$(remove new.db); $profiles init --database $data/new.db --quiet" \
            "$profiles import $data/standard.csv --database $data/new.db ${import_flags[*]}"
        wanted import && measure "DuckDB" "$(remove duck.db)" \
            "$python $yardsticks/duckdb_store.py import $data/duck.db $data/standard.csv"
        measure "validate" "true" "$profiles validate $data/standard.csv --quiet"
        measure "polars" "true" "$python $yardsticks/polars_validate.py $data/standard.csv"
    done
    eval "$(remove new.db)"; eval "$(remove duck.db)"
    if wanted import; then
        compare "import $rows rows into a new store" import .import "<= 0.25"
        compare "the same" import "c indexes afterwards" "<= 1.10"
        compare "the same" import DuckDB "<= 0.85"
        compare "the same into an empty store that exists" "import into an empty store" "c indexes afterwards" "<= 1.10"
        peak=$(median import kilobytes)
        add_row "peak memory of the import into a new store" \
            "$(number "%.0f MiB" "$peak / 1024")" "128 MiB" "$peak / 1024.0 / 128" "<= 1.00"
    fi
    compare "validate $rows rows" validate polars "<= 1.00"
    compare "the same" validate import "<= 0.25"
    rate=$(number %.0f "$rows / $(median validate)")
    add_row "the same, rows a second" "$rate" "1000000" "$rate / 1000000.0" ">= 1.00"
fi

if wanted again; then
    echo "import the same $rows rows again"
    need_store
    change() { awk -F, -v OFS=, "NR > 1 && NR % $1 == 0 { \$3 = \$3 \" x\" } 1" "$data/standard.csv" > "$data/$2"; }
    change 1 all.csv
    change 100 hundredth.csv
    eval "$(remove duck.db)"
    "$python" "$yardsticks/duckdb_store.py" import "$data/duck.db" "$data/standard.csv" > "$data/run.out"
    upsert() { # NAME FILE
        measure "$1, Python upsert" "$(remove new.db); cp $store $data/new.db" \
            "$python $yardsticks/sqlite_upsert.py $data/new.db $data/$2"
        # DuckDB needs minutes to change every row, so this is measured once.
        [ "$turn" -gt 1 ] && [ "$2" = all.csv ] || measure "$1, DuckDB upsert" \
            "$(remove new.db); cp $data/duck.db $data/new.db" \
            "$python $yardsticks/duckdb_store.py upsert $data/new.db $data/$2"
    }
    again() { # NAME POLICY FILE
        measure "$1" "$(remove new.db); cp $store $data/new.db" \
            "$profiles import $data/$3 --database $data/new.db --on-duplicate $2 ${import_flags[*]}"
    }
    for turn in $(turns); do
        measure "import into an empty store" "$(remove new.db); $profiles init --database $data/new.db --quiet" \
            "$profiles import $data/standard.csv --database $data/new.db ${import_flags[*]}"
        again "skip" skip standard.csv
        again "unchanged" update standard.csv
        upsert "unchanged" standard.csv
        again "one in 100 changed" update hundredth.csv
        upsert "one in 100 changed" hundredth.csv
        again "all changed" update all.csv
        measure "all changed, without history" \
            "$(remove new.db); cp $store $data/new.db; $profiles history --keep none --database $data/new.db --quiet" \
            "$profiles import $data/all.csv --database $data/new.db --on-duplicate update ${import_flags[*]}"
        upsert "all changed" all.csv
    done
    eval "$(remove new.db)"; eval "$(remove duck.db)"; rm "$data/all.csv" "$data/hundredth.csv"
    compare "import the same $rows rows again, skipped" "skip" "import into an empty store" "<= 0.60"
    compare "the same as updates, nothing changed" "unchanged" "import into an empty store" "<= 0.80"
    compare "the same" "unchanged" "unchanged, Python upsert" "<= 0.60"
    compare "the same" "unchanged" "unchanged, DuckDB upsert"
    compare "the same, one in 100 changed" "one in 100 changed" "import into an empty store" "<= 0.90"
    compare "the same" "one in 100 changed" "one in 100 changed, Python upsert"
    compare "the same" "one in 100 changed" "one in 100 changed, DuckDB upsert"
    compare "the same, all changed" "all changed" "all changed, Python upsert" "<= 1.00"
    compare "the same" "all changed" "all changed, DuckDB upsert"
    compare "the same, with a history" "all changed" "all changed, without history" "<= 1.40"
    peak=$(median "all changed" kilobytes)
    add_row "peak memory of that import" "$(number "%.0f MiB" "$peak / 1024")" "96 MiB" "$peak / 1024.0 / 96" "<= 1.00"
fi

if wanted edit; then
    echo "edit one field of $rows profiles, and undo it"
    need_store
    for _ in $(turns); do
        measure "edit many" "$(remove new.db); cp $store $data/new.db" \
            "$profiles edit --all --set 'address=1 Side St' --yes --database $data/new.db ${import_flags[*]}"
        measure "undo" "true" "$profiles undo --yes --database $data/new.db ${import_flags[*]}"
        measure "c update" "$(remove new.db); cp $store $data/new.db" \
            "$data/update $data/new.db 1000 '1 Side St' \"${edited_sql[0]}\" \"${edited_sql[1]}\" \"${edited_sql[2]}\""
    done
    eval "$(remove new.db)"
    compare "edit one field of all $rows profiles" "edit many" "c update" "<= 1.50"
    compare "undo that" "undo" "edit many"
fi

if wanted infer; then
    echo "infer and validate the same, $rows rows"
    "$profiles" schema infer "$data/standard.csv" --output "$data/inferred.json" --force --quiet > "$data/run.out"
    for _ in $(turns); do
        measure "infer" "true" "$profiles schema infer $data/standard.csv --quiet"
        measure "validate as inferred" "true" "$profiles validate $data/standard.csv --schema $data/inferred.json --quiet"
    done
    ours=$(number %.0f "$rows / $(median infer)") yardstick=$(number %.0f "$rows / $(median "validate as inferred")")
    add_row "schema infer, rows a second" "$ours" "validate by the inferred schema: $yardstick" "$ours / $yardstick.0" ">= 0.50"
fi

if wanted export; then
    echo "export $rows profiles"
    need_store
    for _ in $(turns); do
        for format in csv ndjson json; do
            measure "export as $format" "rm -f $data/exported.*" \
                "$profiles export $data/exported.$format --include-hashes --quiet --database $store"
        done
    done
    rm -f "$data"/exported.*
    compare "export $rows profiles as NDJSON" "export as ndjson" "export as csv" "<= 2.00"
    compare "the same as JSON" "export as json" "export as csv" "<= 2.00"
fi

if wanted summary; then
    echo "summarise and compare $rows profiles"
    need_store
    for _ in $(turns); do
        measure "summary" "true" "$profiles summary --format json --database $store"
        measure "raw scan" "true" "$data/scan $store 'username, phone, address, postal_code, birthday'"
        # A comparison exits with 1 if it finds differences; here there are none.
        measure "diff" "true" "$profiles diff $data/standard.csv --quiet --database $store"
        measure "duplicates" "true" "$profiles duplicates --by phone --limit 1 --format json --database $store"
    done
    compare "summary of all fields of $rows profiles" summary "raw scan" "<= 2.00"
    compare "diff of $rows profiles and their file" diff "raw scan"
    compare "duplicates by phone, of $rows profiles" duplicates "raw scan"
fi

if wanted extra; then
    echo "import $extra_rows more, batches of $batch"
    need_store
    for _ in $(turns); do
        measure "import more" "$(remove new.db); cp $store $data/new.db" \
            "$profiles import $data/extra.csv --database $data/new.db ${import_flags[*]}"
        measure "c indexes kept" "$(remove new.db); cp $store $data/new.db" \
            "$data/insert $data/new.db $data/extra.csv '$insert_sql' --keep-indexes $batch"
    done
    eval "$(remove new.db)"
    compare "import $extra_rows rows more into a store of $rows profiles" "import more" "c indexes kept" "<= 1.20"
fi

if wanted lookup; then
    echo "look up by username, in process"
    need_store
    swift build -c release --product Lookups > "$data/run.log" 2>&1 || { cat "$data/run.log" >&2; exit 1; }
    .build/release/Lookups "$store" "$shown_columns" "$((rows < 20000 ? rows : 20000))" "$((2 * runs + 1))" | tee "$data/run.lookups"
    while read -r line; do
        sqlite3 "$log" "INSERT INTO measurement SELECT json_extract('$line', '\$.name'), json_extract('$line', '\$.seconds'), 0"
    done < "$data/run.lookups"
    micro() { number "%.2f µs" "$1 * 1000000"; }
    ours=$(median ours)
    for way in "raw|raw C loop|<= 1.30" "grdb_sql|GRDB, cached SQL|>= 1.80" "grdb_query|GRDB, query interface|"; do
        IFS='|' read -r name title goal <<< "$way"
        yardstick=$(median "$name")
        ratio="$ours / $yardstick"
        [ "$name" = raw ] || ratio="$yardstick / $ours"
        add_row "look up by username, in process" "$(micro "$ours")" "$title: $(micro "$yardstick")" "$ratio" "$goal"
    done
    json=$(median json)
    add_row "write that profile as JSON" "$(micro "$json")" "its look-up: $(micro "$ours")" "$json / $ours" "<= 1.00"
fi

if wanted contains; then
    echo "look for a text in every field"
    need_store
    swift build -c release --product Searches > "$data/run.log" 2>&1 || { cat "$data/run.log" >&2; exit 1; }
    # Only one of the two texts occurs in profiles. The C yardstick stops at the first field of a profile that contains
    # the text.
    for text in qqzq "Main St"; do
        for _ in $(turns); do
            for program in "contains:.build/release/Searches $store '$text'" \
                "c contains:$data/contains $store 'username, phone, address, postal_code, birthday' '$text'"; do
                eval "${program#*:}" > "$data/run.out"
                sqlite3 "$log" "INSERT INTO measurement SELECT '${program%%:*} $text', json_extract(
                    CAST(readfile('$data/run.out') AS TEXT), '\$.seconds'), 0"
            done
        done
        compare "profiles that contain \"$text\" in any field, of $rows" "contains $text" "c contains $text" "<= 1.50"
    done
fi

if wanted find; then
    echo "find, as a process"
    need_store
    username=$(sed -n '$p' "$data/standard.csv" | cut -d, -f1)
    for text in "$username" "Main St"; do
        for _ in $(turns); do
            measure "find $text" "true" "$profiles find '$text' --database $store"
            measure "c scan" "true" "$data/scan $store 'username, phone, address, postal_code, birthday'"
        done
        compare "find \"$text\", as a process, of $rows" "find $text" "c scan" "<= 1.50"
    done
fi

if wanted browse; then
    echo "browse, key by key"
    generate double.csv $((rows * 2)) 0
    eval "$(remove double.db)"
    "$profiles" import "$data/double.csv" --database "$data/double.db" "${import_flags[@]}" > "$data/run.out"
    IFS=, read -r username phone _ < <(tail -1 "$data/double.csv")
    for _ in $(turns); do
        measure "c keys" "true" "$data/keys $profiles browse --database $data/double.db"
        sqlite3 "$log" "INSERT INTO measurement SELECT 'usual key', json_extract(
            CAST(readfile('$data/run.out') AS TEXT), '\$.median'), 0"
        measure "c search" "true" \
            "$data/keys --search $username $phone $profiles browse --database $data/double.db"
        measure "C scan" "true" "$data/scan $data/double.db 'username, phone, address, postal_code, birthday'"
    done
    eval "$(remove double.db)"; rm -f "$data"/double.csv*
    worst=$(median "c keys") usual=$(median "usual key")
    add_row "a key press in browse until it is drawn, of $((rows * 2))" "$(number "%.1f ms" "$usual * 1000")" \
        "16 ms" "$usual / 0.016" "<= 1.00"
    add_row "the slowest of 300" "$(number "%.1f ms" "$worst * 1000")" "16 ms" "$worst / 0.016" "<= 1.00"
    compare "from the last letter of a search in browse until its hit is drawn" "c search" "C scan" "<= 1.00"
fi

if wanted revalidate; then
    echo "revalidate all"
    need_store
    for _ in $(turns); do
        measure "revalidate" "true" "$profiles revalidate --all --quiet --database $store"
        measure "raw scan" "true" "$data/scan $store"
    done
    compare "revalidate --all of $rows" revalidate "raw scan" "<= 2.00"
fi

if wanted process; then
    echo "look up by username, as a process"
    need_store
    username=$(sed -n '$p' "$data/standard.csv" | cut -d, -f1)
    for _ in $(turns); do
        hyperfine --shell none --warmup 3 --runs 50 --style none --export-json "$data/run.json" \
            "$profiles lookup $username --database $store" \
            "sqlite3 -readonly $store \"SELECT $shown_columns FROM profiles WHERE username = '$username'\"" \
            > "$data/run.log" 2>&1 || { cat "$data/run.log" >&2; exit 1; }
        sqlite3 "$log" "WITH output(text) AS (SELECT CAST(readfile('$data/run.json') AS TEXT))
            INSERT INTO measurement SELECT 'lookup process', json_extract(text, '\$.results[0].median'), 0 FROM output
            UNION ALL SELECT 'sqlite3 process', json_extract(text, '\$.results[1].median'), 0 FROM output"
    done
    ours=$(median "lookup process") yardstick=$(median "sqlite3 process")
    add_row "profiles lookup, as a process" "$(number "%.2f ms" "$ours * 1000")" \
        "sqlite3: $(number "%.2f ms" "$yardstick * 1000")" "$ours / $yardstick" "<= 3.00"
fi

if wanted login; then
    echo "the database work of one login"
    need_store
    swift build -c release --product Logins > "$data/run.log" 2>&1 || { cat "$data/run.log" >&2; exit 1; }
    eval "$(remove full.db); $(remove empty.db)"
    cp "$store" "$data/full.db"
    "$profiles" init --database "$data/empty.db" --quiet
    # Excludes hashing from the measurement: the profile bencher has a hash of zeros, for which the stub accepts every
    # secret. In the full store, all other profiles lose their passwords, except one, which gets an imported hash. Then
    # `profiles migrate` recounts the passwords and the names with failed logins.
    for database in full empty; do
        "$profiles" register --username bencher --phone 78761241 --address home --database "$data/$database.db" --quiet \
            --set "password_hash=\$argon2id\$v=19\$m=19456,t=2,p=1\$ypUYnQZSQQOq9pivEtjG8w\$$(printf 'A%.0s' {1..43})" > "$data/run.out"
        sqlite3 "$data/$database.db" "UPDATE profiles SET password_is_judged = 1 WHERE username = 'bencher'"
    done
    sqlite3 "$data/full.db" "PRAGMA synchronous = OFF;
        UPDATE profiles SET password_hash = NULL, password_schema_version = NULL, password_is_judged = NULL
            WHERE username <> 'bencher';
        UPDATE profiles SET password_hash = '\$2b\$04\$abcdefghijklmnopqrstuutEP/GNDRtG4DIFjGkLcdxWtDG/tN/mu',
            password_schema_version = 1, password_is_judged = 0 WHERE id = $((rows - 1));
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO throttles SELECT 'nobody' || i, 'password', 1, 0, i, 0 FROM n"
    for database in full empty; do "$profiles" migrate --database "$data/$database.db" --quiet; done
    .build/release/Logins "$data/full.db" "$data/empty.db" bencher "$((200 * runs))" | tee "$data/run.logins"
    while read -r line; do
        sqlite3 "$log" "INSERT INTO measurement SELECT json_extract('$line', '\$.name'), json_extract('$line', '\$.seconds'), 0"
    done < "$data/run.logins"
    eval "$(remove full.db); $(remove empty.db)"
    full=$(median "login, full store") empty=$(median "login, empty store")
    add_row "the database work of one login: $rows profiles, 100000 names remembered" \
        "$(number "%.0f µs" "$full * 1000000")" "an empty store: $(number "%.0f µs" "$empty * 1000000")" "$full / $empty" "<= 2.00"
fi

if wanted writes; then
    echo "register, 64 tasks at once"
    swift build -c release --product Writes > "$data/run.log" 2>&1 || { cat "$data/run.log" >&2; exit 1; }
    eval "$(remove writes.db)"; rm -f "$data"/raw*.db*
    .build/release/Writes "$data" "$insert_sql" "$runs" | tee "$data/run.writes"
    while read -r line; do
        sqlite3 "$log" "INSERT INTO measurement SELECT json_extract('$line', '\$.name'), json_extract('$line', '\$.seconds'), 0"
    done < "$data/run.writes"
    eval "$(remove writes.db)"; rm -f "$data"/raw*.db*
    rate() { number %.0f "1 / $(median "$1")"; }  # NAME: operations per second
    ours=$(rate "write, 64 tasks, 1 ms") one=$(rate "write, 1 tasks, 1 ms") raw=$(rate "write, raw, 1 ms")
    job="64 tasks register, a sync takes 1 ms: profiles a second"
    add_row "$job" "$ours" "one task: $one" "$ours / $one.0" ">= 5.00"
    add_row "the same" "$ours" "raw C, a transaction for each: $raw" "$ours / $raw.0" ">= 5.00"
    longest=$(median "longest, 64 tasks, 1 ms") each=$(number "%.9f" "64 / $one")
    add_row "the longest wait for one of them" "$(number "%.1f ms" "$longest * 1000")" \
        "a transaction for each: $(number "%.1f ms" "$each * 1000")" "$longest / $each" "<= 1.00"
    ours=$(rate "write, 64 tasks, 0 ms") one=$(rate "write, 1 tasks, 0 ms")
    job="64 tasks register, a sync takes no time: profiles a second"
    add_row "$job" "$ours" "one task: $one" "$ours / $one.0" ">= 1.00"
    ours=$(median "edit, 1000 listeners") one=$(median "edit, 0 listeners")
    add_row "an edit, with 1,000 tasks that listen to changes" "$(number "%.3f ms" "$ours * 1000")" \
        "no listener: $(number "%.3f ms" "$one * 1000")" "$ours / $one" "<= 1.20"
fi

if wanted hashing; then
    echo "hash 200 passwords on $threads threads"
    for _ in $(turns); do
        measure "hash on import" "$(remove new.db); $profiles init --database $data/new.db --quiet" \
            "$profiles import $data/plain.csv --database $data/new.db ${import_flags[*]}"
        measure "libsodium" "true" "$data/hash 200 $threads"
    done
    compare "hash 200 passwords on import" "hash on import" libsodium "<= 1.05"
fi

if [ -n "$long" ] && { wanted import || wanted long; }; then
    echo "ten times the rows"
    generate long.csv $((rows * 10)) 0
    for _ in $(seq 1 $(((runs + 1) / 2))); do
        measure "import" "$(remove new.db)" "$profiles import $data/standard.csv --database $data/new.db ${import_flags[*]}"
        measure "import tenfold" "$(remove new.db)" "$profiles import $data/long.csv --database $data/new.db ${import_flags[*]}"
    done
    eval "$(remove new.db)"; rm -f "$data"/long.csv*
    compare "import $((rows * 10)) rows into a new store" "import tenfold" import "<= 10.50"
    peak=$(median "import tenfold" kilobytes)
    add_row "peak memory of that import" "$(number "%.0f MiB" "$peak / 1024")" "160 MiB" "$peak / 1024.0 / 160" "<= 1.00"
fi

other_runs="Other numbers of runs: $((2 * runs + 1)) for look-ups in process, $((200 * runs)) for logins,"
other_runs+=" $(((runs + 1) / 2)) for $((rows * 10)) rows, 1 for DuckDB with all rows changed."
write_table Speed "\`make bench\`" "SQLite $(sqlite3 --version | cut -d' ' -f1)" "$other_runs"
rm -f "$data"/*.db*
