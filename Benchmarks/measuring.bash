# The shared parts of the benchmarks: settings, the standard file, repeated runs, and a table of the medians.
#
#     source measuring.bash RESULTS-FILE COMMAND    PROFILES=COMMAND replaces COMMAND

rows=${ROWS:-1000000} runs=${RUNS:-5} only=${ONLY:-}
data=${DATA:-${TMPDIR:-/tmp}/profiles-bench}
results=${RESULTS:-$data/$1}
# Only a complete run replaces the table in the repository.
if [ -z "${RESULTS:-}" ] && [ "$rows" = 1000000 ] && [ -z "$only" ]; then results=$PWD/$1; fi
profiles=$(realpath "${PROFILES:-$2}")
threads=$(nproc)
export LC_ALL=C NO_COLOR=1
import_flags=(--quiet --format json)

mkdir -p "$data"
rm -f "$data"/*.db* "$data"/run.*
for source in Yardsticks/*.c; do
    cc -O2 -Wall -Wextra -Werror -std=gnu17 "$source" -o "$data/$(basename "$source" .c)" -lsqlite3 -lsodium -lpthread -lutil
done

generate() { # FILE ROWS FIRST [plain]
    [ -f "$data/$1-$2" ] || { "$data/generate" "${@:2}" > "$data/$1.part" && mv "$data/$1.part" "$data/$1-$2"; }
    ln -sf "$1-$2" "$data/$1"
}

log=$data/measurements.sqlite
rm -f "$log"
sqlite3 "$log" "CREATE TABLE measurement (name TEXT, seconds REAL, kilobytes INTEGER);
    CREATE TABLE result (job TEXT, ours TEXT, yardstick TEXT, ratio TEXT, goal TEXT, met TEXT)"

# Runs a command once and records its time, measured with hyperfine. If NAME begins with "c ", the command measures the
# time itself and prints it as "seconds" in JSON.
measure() { # NAME PREPARE COMMAND
    hyperfine --runs 1 --style none --export-json "$data/run.json" --prepare "$2; sync" \
        "/usr/bin/time -o $data/run.memory -f %M $3 > $data/run.out" > "$data/run.log" 2>&1 \
        || { cat "$data/run.log" "$data/run.out" >&2; echo "bench: failed: $3" >&2; exit 1; }
    sqlite3 "$log" "WITH output(text) AS (SELECT CAST(readfile('$data/run.out') AS TEXT))
        INSERT INTO measurement SELECT '$1', coalesce(
            CASE WHEN '$1' LIKE 'c %' AND json_valid(text) THEN json_extract(text, '\$.seconds') END,
            json_extract(CAST(readfile('$data/run.json') AS TEXT), '\$.results[0].median')),
            CAST(CAST(readfile('$data/run.memory') AS TEXT) AS INTEGER) FROM output"
    printf '  %-28s %s s\n' "$1" "$(sqlite3 "$log" "SELECT round(seconds, 3) FROM measurement ORDER BY rowid DESC LIMIT 1")"
}
median() { # NAME [COLUMN]
    sqlite3 "$log" "WITH ordered AS (SELECT ${2:-seconds} AS value, row_number() OVER (ORDER BY ${2:-seconds}) AS place,
        count(*) OVER () AS count FROM measurement WHERE name = '$1')
        SELECT avg(value) FROM ordered WHERE place IN ((count + 1) / 2, (count + 2) / 2)"
}
add_row() { # JOB OURS YARDSTICK RATIO [GOAL]: GOAL limits the ratio: "<= N" or ">= N"
    sqlite3 "$log" "INSERT INTO result VALUES ('$1', '$2', '$3', round($4, 2), '${5:-}',
        CASE WHEN '${5:-}' = '' THEN '' WHEN round($4, 2) ${5:-IS NULL} THEN 'yes' ELSE 'no' END)"
}
# Stores a figure that the caller has measured.
record() { # NAME VALUE
    sqlite3 "$log" "INSERT INTO measurement VALUES ('$1', $2, NULL)"
    printf '  %-28s %s\n' "$1" "$2"
}
number() { awk "BEGIN { printf \"$1\", $2 }"; }  # FORMAT EXPRESSION
compare() { # JOB OURS YARDSTICK [GOAL]: medians by name, in seconds
    local ours yardstick
    ours=$(median "$2") yardstick=$(median "$3")
    add_row "$1" "$(number "%.3f s" "$ours")" "$3: $(number "%.3f s" "$yardstick")" "$ours / $yardstick" "${4:-}"
}
wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }
turns() { seq 1 "$runs"; }

shell_import() { # FILE DATABASE: imports the same columns and indexes with sqlite3's .import, in WAL mode
    echo "sqlite3 -cmd 'PRAGMA journal_mode = WAL' -cmd 'CREATE TABLE profiles (username TEXT NOT NULL COLLATE NOCASE,
        phone TEXT, address TEXT, postal_code TEXT, birthday TEXT, password_hash TEXT) STRICT' \
        -cmd 'CREATE UNIQUE INDEX profiles_username ON profiles (username)' \
        -cmd 'CREATE INDEX profiles_phone ON profiles (phone)' $2 '.import --csv --skip 1 $1 profiles'" | tr '\n' ' '
}

write_table() { # TITLE MADE-BY ENGINE [OTHER-RUNS]: OTHER-RUNS names the rows with another number of runs
    {
        echo "# $1"
        echo
        echo "Medians of $runs runs. Each run measures the product (ours) and the yardstick one after the other. Made by $2."
        [ -z "${4:-}" ] || echo "$4"
        echo
        echo "- date: $(date -u +%Y-%m-%d)"
        echo "- machine: $threads cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(awk '/MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)"
        echo "- system: $(. /etc/os-release; echo "$PRETTY_NAME"), Linux $(uname -r), $3"
        [ ! -e "$data/standard.csv" ] ||
            echo "- rows of the standard file: $rows ($(stat -Lc %s "$data/standard.csv" | numfmt --to=si)B)"
        echo
        echo "| job | ours | yardstick | ratio | goal | met |"
        echo "|---|---|---|---|---|---|"
        sqlite3 "$log" "SELECT format('| %s | %s | %s | %s | %s | %s |', job, ours, yardstick, ratio, goal, met) FROM result" |
            sed 's/<=/≤/; s/>=/≥/'
    } > "$data/run.table"
    cp "$data/run.table" "$results"
    echo
    cat "$results"
    echo
    echo "Written to $results"
}
