#!/usr/bin/env bash
# Measures profiles-server and its yardsticks in alternation in one run, and writes the medians to SERVER.md. wrk and the
# servers share the cores of this machine.
#
#     RUNS=5        runs of each measurement          SECONDS_OF_RUN=5  the time of each run
#     ONLY=look-up  one job: look-up register login latency memory
#     DATA=DIR      scratch folder on a disk, ${TMPDIR:-/tmp}/profiles-bench-server
#     RESULTS=FILE  file for the table; by default, only a complete run replaces SERVER.md
set -euo pipefail
cd "$(dirname "$0")"

DATA=${DATA:-${TMPDIR:-/tmp}/profiles-bench-server}
built=$PWD/../Server/.build/release
source measuring.bash SERVER.md "$built/profiles-server"
seconds=${SECONDS_OF_RUN:-5}
connections=64 profiles_count=200
fail() { echo "bench: $*" >&2; exit 1; }
case $only in '' | look-up | register | login | latency | memory) ;; *) fail "ONLY=$only is no job" ;; esac
for program in "$profiles" "$built/BareService" "$built/BenchmarkStore"; do
    [ -x "$program" ] || fail "$program is missing: run make bench-server"
done

# ── Servers, which are stopped by process id ────────────────────────────────────────────────────────────────────────────
declare -A process url
start() { # NAME COMMAND...: starts a server and waits until it accepts requests. The server logs to a file.
    local name=$1
    shift
    # Empties the file. Otherwise the loop below could read the address that an earlier start printed.
    : > "$data/$name.out"
    "$@" > "$data/$name.out" 2> "$data/$name.log" &
    process[$name]=$!
    for _ in $(seq 200); do
        url[$name]=$(sed -n 's|.*accepts requests at \(http://[0-9.:]*\).*|\1|p' "$data/$name.out")
        [ -z "${url[$name]}" ] || return 0
        kill -0 "${process[$name]}" 2> "$data/run.log" || break
        sleep 0.05
    done
    cat "$data/$name.log" >&2
    fail "$name does not accept requests"
}
stop() { # NAME
    [ -n "${process[$1]:-}" ] || return 0
    kill "${process[$1]}" 2> "$data/run.log" || true
    wait "${process[$1]}" 2> "$data/run.log" || true
    unset "process[$1]"
}
stop_all() { for name in "${!process[@]}"; do stop "$name"; done; }
trap stop_all EXIT
start_service() { start service "$profiles" --database "$store" --port 0 --behind-proxy 127.0.0.1; }
start_bare() { start bare "$built/BareService" 0 "$size"; }

# ── Clients ──────────────────────────────────────────────────────────────────────────────────────────────────────────
# Runs wrk and prints "REQUESTS-A-SECOND P99-IN-MILLISECONDS FAILURES".
load() { # THREADS CONNECTIONS SECONDS URL [SCRIPT ARGUMENT...]
    local script=${5:-report}
    wrk -t"$1" -c"$2" -d"$3s" --timeout 30s -s "Yardsticks/wrk/$script.lua" -H "Authorization: Bearer $token" "$4" \
        -- "${@:6}" 2>&1 > "$data/run.wrk" | tail -n 1
}
# Like load, but fails if a request failed.
checked() {
    local figures
    figures=$(load "$@")
    [ "${figures##* }" = 0 ] || fail "wrk has failed: $figures; see $data/run.wrk and $data/service.log"
    echo "$figures"
}
figure() { # NAME COLUMN FIGURES
    local columns
    read -ra columns <<< "$3"
    record "$1" "${columns[$2]}"
}
look_up() { # NAME COLUMN THREADS CONNECTIONS
    figure "$1" "$2" "$(checked "$3" "$4" "$seconds" "${url[service]}/v1/profiles/user7")"
}
constant() { # NAME COLUMN THREADS CONNECTIONS
    figure "$1" "$2" "$(checked "$3" "$4" "$seconds" "${url[bare]}/constant")"
}

echo "a store with $profiles_count profiles, for runs of $seconds s"
store=$data/store.db
token=$("$built/BenchmarkStore" make "$store" $profiles_count)
start_service
curl -sf --max-time 10 -H "Authorization: Bearer $token" "${url[service]}/v1/profiles/user7" -o "$data/run.profile" ||
    fail "the service does not find user7; see $data/service.log"
size=$(stat -c %s "$data/run.profile")
start_bare

if wanted look-up; then
    echo "look up a profile, $connections connections"
    for _ in $(turns); do
        constant constant 0 1 $connections
        look_up look-up 0 1 $connections
    done
    ours=$(median look-up) bare=$(median constant)
    add_row "GET /v1/profiles/{key} with an access token, $connections connections: requests a second" \
        "$(number %.0f "$ours")" "a constant of $size bytes, bare Hummingbird: $(number %.0f "$bare")" \
        "$ours / $bare" ">= 0.75"
fi

if wanted register; then
    echo "register, $connections clients"
    digits=({0..9} {a..z})
    for turn in $(turns); do
        rate=$("$built/BenchmarkStore" register "$store" $connections "$seconds")
        record "group commit" "$(number %.1f "$rate")"
        # No name is taken: each run has its own prefix, and the random names of the yardstick are longer.
        prefix="r${digits[turn % 36]}"
        figure register 0 "$(checked 1 $connections "$seconds" "${url[service]}" register "$token" "$prefix")"
    done
    ours=$(median register) raw=$(median "group commit")
    add_row "POST /v1/profiles with a hashed password, $connections clients: profiles a second" \
        "$(number %.0f "$ours")" "the repository with $connections tasks: $(number %.0f "$raw")" "$ours / $raw" ">= 0.70"
fi

if wanted login; then
    echo "log in"
    hashes=$((seconds * threads * 25))
    for _ in $(turns); do
        begun=$EPOCHREALTIME
        "$data/hash" $hashes "$threads"
        record libsodium "$(number %.1f "$hashes / (${EPOCHREALTIME} - $begun)")"
        figure login 0 "$(checked 1 $((4 * threads)) "$seconds" "${url[service]}" login $profiles_count)"
    done
    ours=$(median login) raw=$(median libsodium)
    add_row "POST /v1/login: logins a second" "$(number %.1f "$ours")" \
        "libsodium on $threads threads: $(number %.1f "$raw")" "$ours / $raw" ">= 0.90"
fi

if wanted latency; then
    echo "look up a profile while logins saturate the machine"
    # Few connections, because with many of them wrk would only measure how long its own requests wait for each other.
    for _ in $(turns); do
        for request in constant look_up; do
            load 1 $((4 * threads)) $((seconds + 2)) "${url[service]}" login $profiles_count > "$data/run.logins" &
            process[logins]=$!
            sleep 1
            $request "$request p99" 1 1 $threads
            wait "${process[logins]}" || fail "the logins have failed; see $data/service.log"
            unset "process[logins]"
            read -r -a logins < "$data/run.logins"
            [ "${logins[2]}" = 0 ] || fail "logins have failed: ${logins[*]}; see $data/service.log"
        done
    done
    ours=$(median "look_up p99") bare=$(median "constant p99")
    add_row "that GET while logins saturate the machine, $threads connections: 99th percentile" \
        "$(number "%.1f ms" "$ours")" "the constant beside the same logins: $(number "%.1f ms" "$bare")" \
        "$ours / $bare" "<= 1.50"
fi

if wanted memory; then
    echo "memory"
    kilobytes() { awk -v key="$2:" '$1 == key { print $2 }' "/proc/${process[$1]}/status"; }  # NAME KEY
    for _ in $(turns); do
        stop service
        stop bare
        start_service
        start_bare
        curl -s --max-time 10 -o "$data/run.out" "${url[service]}/healthz"
        curl -s --max-time 10 -o "$data/run.out" "${url[bare]}/constant"
        record "service at start" "$(kilobytes service VmRSS)"
        record "bare at start" "$(kilobytes bare VmRSS)"
        load 2 200 "$seconds" "${url[service]}" login $profiles_count > "$data/run.logins"
        record "peak of logins" "$(kilobytes service VmHWM)"
    done
    ours=$(median "service at start") bare=$(median "bare at start")
    add_row "resident memory at the start" "$(number "%.1f MiB" "$ours / 1024")" \
        "bare Hummingbird: $(number "%.1f MiB" "$bare / 1024")" "$ours / $bare" "<= 1.50"
    peak=$(median "peak of logins") allowed=$((threads * 19 + 96))
    add_row "peak memory under 200 logins at once" "$(number "%.0f MiB" "$peak / 1024")" \
        "$allowed MiB for $threads hashing threads" "$peak / 1024 / $allowed" "<= 1.00"
fi

stop_all
write_table "Speed and memory of the service" "\`make bench-server\`" \
    "Hummingbird $(sed -n '/"hummingbird"/,/version/ s/.*"version" : "\(.*\)".*/\1/p' ../Server/Package.resolved), $(wrk -v 2>&1 | sed -n 's/^wrk \([^ ]*\).*/wrk \1/p')"
rm -f "$data"/*.db*
