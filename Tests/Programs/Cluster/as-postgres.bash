# Functions that postgres-cluster and postgres-server share. They run PostgreSQL 15 and find its processes.

path_of_caller=$PATH
PATH=/usr/lib/postgresql/15/bin:/usr/bin:/bin:/usr/sbin:/sbin

# A copy of standard error. `fail` writes to it even inside a function whose output is redirected.
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

# Runs a program with only the environment variables that are listed here. PostgreSQL refuses to run as root, so root runs
# the program as the user postgres.
as_postgres() {
    local user=()
    [ "$(id -u)" != 0 ] || user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    (
        cd /
        close_others
        exec "${user[@]}" env -i PATH="$PATH" LANG=C.UTF-8 HOME="$base" "${environment[@]}" "$@"
    )
}

# Closes inherited descriptors. Otherwise a background process would keep locks and pipes of the caller open.
close_others() {
    local descriptor
    for descriptor in /proc/"$BASHPID"/fd/*; do
        [ "${descriptor##*/}" -le 2 ] || eval "exec ${descriptor##*/}>&-"
    done
}

# Makes the folder of the server or cluster. The file `port` in it shows that this script made the folder.
make_base() { # PORT
    mkdir -p "$(dirname "$base")"
    mkdir "$base" 2> /dev/null || fail 1 "$base is there already; '${0##*/} down' removes it."
    echo "$1" > "$base/port"
    [ "$(id -u)" != 0 ] || chown -R postgres:postgres "$base"
    as_postgres test -w "$base/port" || { rm -rf "$base"; fail 1 "The user postgres cannot reach $base."; }
}

# Prints the port of the server, or of the monitor of the cluster, from the file `port`.
port() {
    [ -f "$base/port" ] || fail 1 "Nothing is up in $base."
    cat "$base/port"
}

is_taken() { (: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

# Prints the process id of the server of a data folder, if it runs. After a kill, another process may have the recorded id,
# so the working folder of the process is checked.
server_of() { # FOLDER
    local process
    process=$(head -1 "$1/postmaster.pid" 2> /dev/null) || return 1
    [ "$(readlink "/proc/$process/cwd")" = "$1" ] && echo "$process"
}

# Repeats a command until it succeeds. Fails after this number of seconds.
within() { # SECONDS COMMAND…
    local end=$((SECONDS + $1)); shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

# Removes the folder, and the shared memory of killed servers. Otherwise only the next start of such a server removes it.
remove_base() {
    local file key
    for file in "$base"/*/postmaster.pid; do
        [ -f "$file" ] || continue
        key=$(sed -n '7s/.* //p' "$file")
        [ -z "$key" ] || ipcrm -m "$key" 2> /dev/null || true
    done
    rm -rf "$base"
}
