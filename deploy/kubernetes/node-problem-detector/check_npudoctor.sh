#!/bin/sh
# A custom plugin of node-problem-detector: what npudoctor found last, as a condition of the node.
# usage: check_npudoctor.sh AREA,AREA...    areas of checks (npu,driver) that the condition is about
# FILE is what the DaemonSet (or the systemd timer) wrote. Exit code: 0 well, 1 a problem, 2 not known.
# node-problem-detector keeps 80 characters of the one line that is printed. POSIX sh, grep and sed.
FILE=${FILE:-/var/lib/npudoctor/npudoctor.prom}
OLDEST=${OLDEST:-3600} # seconds: older results are no results

tell() {
    printf '%.80s\n' "$2"
    exit "$1"
}

# STATUS: the ids of the wanted areas that have it, one a line.
ids() {
    areas=$(printf %s "$1" | sed 's/,/|/g')
    grep -E "^npudoctor_finding\{.*id=\"($areas)\.[^\"]*\",status=\"$2\"" "$FILE" |
        sed 's/.*id="\([^"]*\)".*/\1/'
}

# IDS: as many as there is room for, and how many there are besides.
short() {
    line='' more=0
    for id in $1; do
        if [ "$((${#line} + ${#id}))" -lt 58 ]; then line="$line${line:+, }$id"; else more=$((more + 1)); fi
    done
    [ "$more" = 0 ] || line="$line and $more more"
    printf %s "$line"
}

[ -n "$1" ] || tell 2 "no areas were named"
[ -r "$FILE" ] || tell 2 "npudoctor has not run: $FILE is not there"
ran=$(sed -n 's/^npudoctor_run_timestamp_seconds \([0-9]*\).*/\1/p' "$FILE")
[ -n "$ran" ] || tell 2 "$FILE does not say when npudoctor ran"
age=$(($(date +%s) - ran))
[ "$age" -le "$OLDEST" ] || tell 2 "npudoctor ran last $((age / 60)) minutes ago"

failed=$(ids "$1" fail)
[ -z "$failed" ] || tell 1 "$(short "$failed")"
unknown=$(ids "$1" unknown)
[ -z "$unknown" ] || tell 2 "unknown: $(short "$unknown")"
grep -q '^npudoctor_host_read{.*} 1' "$FILE" || tell 2 "the host could not be read wholly"
tell 0 "no check failed"
