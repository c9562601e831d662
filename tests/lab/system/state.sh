# Sourced: the state of this host, flat `key: value` lines of /lab/host.yaml. A key may stand on several lines.

# KEY [DEFAULT]: its first value.
state() {
  found=$(sed -n "s/^$1: *//p" /lab/host.yaml | head -n 1)
  echo "${found:-$2}"
}

# KEY: all its values, a line each.
state_all() { sed -n "s/^$1: *//p" /lab/host.yaml; }

# NAME: true as often as the number in the state says (`always` for ever), then false; counted in /lab/counts.
strikes() {
  wanted=$(state "$1")
  [ -n "$wanted" ] || return 1
  struck "$1" "$wanted"
}

# NAME NUMBER: the same, with the number given.
struck() {
  [ "$2" != always ] || return 0
  mkdir -p /lab/counts
  done_so_far=$(cat "/lab/counts/$1" 2>/dev/null || echo 0)
  [ "$done_so_far" -lt "$2" ] || return 1
  echo "$((done_so_far + 1))" >"/lab/counts/$1"
}

# WHAT WORDS...: a line in the diary of the host, which lies outside of it.
note() {
  what=$1
  shift
  printf '%s\t%s\t%s\n' "$(date +%s.%N)" "$what" "$*" >>/lab/events
}

kernel_release() { state kernel "$(/usr/bin/uname -r)"; }
