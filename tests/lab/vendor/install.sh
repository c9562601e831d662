#!/bin/sh
# What a package of the lab runs after it has unpacked itself. `package.info` says what it is.
[ -r /system/state.sh ] || { echo 'This package is for simulated hosts only.' >&2; exit 1; }
. /system/state.sh
. ./package.info
. ./common.sh
. "./$kind.sh"
main "$@"
