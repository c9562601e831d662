#!/bin/sh
# Examines the host that this container runs on, again and again. POSIX sh; needs chroot and timeout.
# What reads the host is the script of `npudoctor collect --print-script`, in the host's own files, with the host's
# own tools; what it says is judged in here. Nothing is installed on the host, and nothing is written but in OUT.
#
#   HOST      where the host's root is mounted           OUT      a folder of the host for the results
#   EVERY     seconds between two runs; 0: one run only  OPTIONS  more options for `npudoctor check`
HOST=${HOST:-/host} OUT=${OUT:-/var/lib/npudoctor} EVERY=${EVERY:-900}
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

say() { printf 'npudoctor: %s\n' "$*" >&2; }

read_host() {
    npudoctor collect --print-script >"$scratch/collect.sh" || return
    timeout 150 chroot "$HOST" /bin/sh -s <"$scratch/collect.sh" >"$scratch/host.stream"
}

# Limits and variables of a container are not those of jobs; / is mounted read-only in here. Each file is
# replaced when it is whole: where a run fails the last results stay, and their age tells.
judge() {
    # shellcheck disable=SC2086 # OPTIONS are several words
    npudoctor check --from "$scratch/host.stream" --skip limits,env,storage.read_only \
        --output prometheus="$OUT/npudoctor.prom" --output json="$OUT/report.json" $OPTIONS
}

examine() {
    read_host || { say "the host could not be read (exit code $?)"; return 3; }
    judge >"$scratch/report.txt"
    code=$?
    case $code in
        0 | 1 | 3) tail -n 2 "$scratch/report.txt" | head -n 1 ;;
        *) say "the host was not judged (exit code $code)" ;;
    esac
    return "$code"
}

[ "$EVERY" != 0 ] || { examine; exit; }
while :; do
    examine
    sleep "$EVERY" &
    wait "$!" # a signal ends a wait at once, a sleep only when it is over
done
