# Sourced by every installer: its words, its logs, the faults that the state of the host asks for.
umask 022
SECLOG=/var/log/ascend_seclog
INSTALL_INFO=/etc/ascend_install.info
LAST_INFO='' full='' upgrade='' quiet='' force='' for_all=no base='' user='' group='' asked='' type=full version_only=''

red() { printf '\\033[31m%s \\033[0m' "$1"; }
green() { printf '\\033[32m%s \\033[0m' "$1"; }
yellow() { printf '\\033[33m%s\\033[0m' "$1"; }

# LEVEL TEXT: on the screen and in the log.
say() {
  text="[$label] [$(date '+%Y-%m-%d %H:%M:%S')] [$1]$2"
  printf '%b\n' "$text"
  log "$1" "$2"
}

log() {
  [ -d "$SECLOG" ] || { mkdir -p "$SECLOG" && chmod 750 "$SECLOG"; }
  printf '[%s] [%s] [root] [%s]%s\n' "$label" "$(date '+%Y-%m-%d %H:%M:%S')" "$1" "$2" >>"$SECLOG/$logfile"
}

# ERR_NO TEXT
refuse() {
  say ERROR "ERR_NO:$1;ERR_DES:$2"
  leave 1
}

# WORD: operation.log has a line for each thing that was done.
operation() {
  case $1 in Install) level=SUGGESTION ;; Upgrade) level=MINOR ;; *) level=MAJOR ;; esac
  printf '%s %s root %s 127.0.0.1 %s %s install_type=%s; cmdlist=%s.\n' \
    "$1" "$level" "$(date '+%Y-%m-%d %H:%M:%S')" "$name" "$2" "$type" "$asked" >>"$SECLOG/operation.log"
}

leave() {
  [ -z "$begun" ] || note install-end "$kind" "$version" "$1"
  exit "$1"
}

# Nothing is changed before this; everything that a host goes through is counted by these lines.
begin() {
  [ -n "$LAB_PLANT" ] || note install-begin "$kind" "$version" "$asked"
  begun=yes
  [ -z "$LAB_PLANT" ] || begun=''
}

# KEY: whether the state of the host has this fault for this package, and this time.
# `KEY: COMPONENT VERSION TIMES`; `*` is any version.
befalls() {
  [ -z "$LAB_PLANT" ] || return 1
  state_all "$1" >/tmp/.befalls.$$
  while read -r component only times; do
    [ "$component" = "$kind" ] || continue
    [ "$only" = '*' ] || [ "$only" = "$version" ] || continue
    struck "$1-$component-$version" "${times:-1}" && rm -f /tmp/.befalls.$$ && return 0
  done </tmp/.befalls.$$
  rm -f /tmp/.befalls.$$
  return 1
}

# In the middle of the work: what the state of the host says happens there.
halfway() {
  if befalls slow_install; then sleep "$(state slow_seconds 5)"; fi
  if befalls die_install; then kill -9 $$; fi
  if befalls cut_install; then
    note power-cut "$kind" "$version"
    systemctl --force reboot
    kill -9 $$
  fi
  befalls fail_install && return 1
  return 0
}

set_info() {
  touch "$INSTALL_INFO"
  sed -i "/^$1=/d" "$INSTALL_INFO"
  echo "$1=$2" >>"$INSTALL_INFO"
}

get_info() { sed -n "s/^$1=//p" "$INSTALL_INFO" 2>/dev/null; }

free_megabytes() {
  place=$1
  while [ ! -d "$place" ]; do place=${place%/*}; place=${place:-/}; done
  df -Pm "$place" | sed -n '2s/^[^ ]* *[0-9]* *[0-9]* *\([0-9]*\) .*/\1/p'
}

# Two installers at once: the second leaves.
alone() {
  exec 9>/run/lock/ascend_install.lock
  flock -n 9 ||
    refuse 0x0094 'There is already a process being executed,please do not execute multiple tasks at the same time'
}

# A version is older than another: rc before the final one, numbers by value.
older() {
  [ "$1" != "$2" ] && [ "$(printf '%s~\n%s~\n' "$1" "$2" | sed 's/\.rc/~rc/I' | sort -V | head -n 1)" = \
    "$(echo "$1~" | sed 's/\.rc/~rc/I')" ]
}
