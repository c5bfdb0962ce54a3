# How postgres-cluster and postgres-server run PostgreSQL 15, and find what they have started. Sourced by both.

path_of_caller=$PATH
PATH=/usr/lib/postgresql/15/bin:/usr/bin:/bin:/usr/sbin:/sbin

# Where the caller hears why something failed, even from within a function whose output goes elsewhere.
exec {console}>&2

fail() { # CODE MESSAGE
    echo "${0##*/}: $2" >&"$console"
    exit "$1"
}

need() { # PACKAGE PROGRAM…
    local package=$1 program; shift
    for program; do
        [ -n "$(type -P "$program")" ] || fail 69 "$program is missing; install Debian's package $package."
    done
}

# Runs a program in this environment alone, and as the user postgres where we are root, which PostgreSQL refuses to be.
as_postgres() {
    local user=()
    [ "$(id -u)" != 0 ] || user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    (
        cd /
        close_others
        exec "${user[@]}" env -i PATH="$PATH" LANG=C.UTF-8 HOME="$base" "${environment[@]}" "$@"
    )
}

# What runs on would keep locks and pipes of our callers open.
close_others() {
    local descriptor
    for descriptor in /proc/"$BASHPID"/fd/*; do
        [ "${descriptor##*/}" -le 2 ] || eval "exec ${descriptor##*/}>&-"
    done
}

# Makes the folder of what is to be started, which says by its file `port` that it is ours.
make_base() { # PORT
    mkdir -p "$(dirname "$base")"
    mkdir "$base" 2> /dev/null || fail 1 "$base is there already; '${0##*/} down' removes it."
    echo "$1" > "$base/port"
    [ "$(id -u)" != 0 ] || chown -R postgres:postgres "$base"
    as_postgres test -w "$base/port" || { rm -rf "$base"; fail 1 "The user postgres cannot reach $base."; }
}

# The port that was written down when it was started.
port() {
    [ -f "$base/port" ] || fail 1 "Nothing is up in $base."
    cat "$base/port"
}

is_taken() { (: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

# The server of a data folder, where it runs: a killed one leaves its number, which may be another process's by now.
server_of() { # FOLDER
    local process
    process=$(head -1 "$1/postmaster.pid" 2> /dev/null) || return 1
    [ "$(readlink "/proc/$process/cwd")" = "$1" ] && echo "$process"
}

# Asks often, and says whether the answer was yes in time.
within() { # SECONDS COMMAND…
    local end=$((SECONDS + $1)); shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

# Servers that were killed leave a segment each, by which the next one would have known that they are gone.
remove_base() {
    local file key
    for file in "$base"/*/postmaster.pid; do
        [ -f "$file" ] || continue
        key=$(sed -n '7s/.* //p' "$file")
        [ -z "$key" ] || ipcrm -m "$key" 2> /dev/null || true
    done
    rm -rf "$base"
}
