#!/usr/bin/env bash
# A tour of the command on the sample file, in a fresh store of its own: `make demo`, or Examples/demo.sh PATH-OF-PROFILES.
set -euo pipefail

profiles=$(realpath "${1:-.build/release/profiles}")
cd "$(dirname "$0")/.."
folder=$(mktemp -d "${TMPDIR:-/tmp}/profiles-demo.XXXXXX")
export PROFILES_DATABASE=$folder/people.db

heading() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || heading() { printf '\n== %s\n' "$*"; }

# Shows a command and runs it. Exit code 1 means that the answer is no (here: rejected rows, invalid profiles).
step() {
    local code=0
    printf '$ profiles %s\n' "$*"
    "$profiles" "$@" || code=$?
    [ "$code" -le 1 ] || { echo "demo: profiles $1 ended with $code" >&2; exit "$code"; }
}
must() { printf '$ profiles %s\n' "$*"; "$profiles" "$@"; }

heading "Import 1,000 rows, of which some are bad in every way that a row can be"
step import Examples/people.csv --report "$folder/import.html" --rejects "$folder/rejects.csv"

heading "Look two profiles up"
must lookup skboard
must lookup --phone 14678345

heading "Edit one"
must edit Marina7 --postal-code 89761 --birthday 1987-06-30
must lookup Marina7

heading "Create a passcode and validate it"
printf 'appleworks1\nappleworks1\n' | must passcode create skboard --stdin
printf 'appleworks1\n' | must passcode validate skboard --stdin

heading "Revalidate against stricter rules, without adopting them"
step revalidate --schema Examples/stricter-schema.json --report "$folder/revalidation.html"

heading "Where everything is"
printf '%-14s %s\n' \
    store "$PROFILES_DATABASE" \
    report "$folder/import.html" \
    rejects "$folder/rejects.csv" \
    revalidation "$folder/revalidation.html" \
    command "$profiles"
printf '\nGo on with: PROFILES_DATABASE=%s %s list --limit 10\n' "$PROFILES_DATABASE" "$profiles"
printf 'Or try the form: PROFILES_DATABASE=%s %s register   (and: edit skboard)\n' "$PROFILES_DATABASE" "$profiles"
