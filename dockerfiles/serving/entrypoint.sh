#!/usr/bin/env bash
# The first program of a serving container: looks whether the NPUs, the driver and the pairing are right, loads every
# set_env.sh, then becomes the command. Where something is wrong it says what and how to mend it, and starts nothing.
# NPUDOCTOR_PREFLIGHT=off starts all the same.
set -u

ascend=/usr/local/Ascend
problems=0

problem() {
    echo "npudoctor: $1; $2" >&2
    problems=$((problems + 1))
}

usable() {
    [ -c "$1" ] || { problem "$1 is not in the container" "add --device $1"; return; }
    if ! [ -r "$1" ] || ! [ -w "$1" ]; then
        problem "$1 may not be opened by user $(id -u)" "add --group-add $(stat -c %g "$1"), its group on the host"
    fi
}

look_at_devices() {
    local npus
    npus=$(find /dev -maxdepth 1 -type c -name 'davinci[0-9]*')
    [ -n "$npus" ] || problem "no NPU is in the container" "add --device /dev/davinci0 for each NPU that it is to use"
    for node in $npus /dev/davinci_manager /dev/devmm_svm /dev/hisi_hdc; do usable "$node"; done
}

look_at_driver() {
    local info=$ascend/driver/version.info
    # Docker makes an empty folder where the source of a mount is missing on the host.
    if [ -d "$info" ]; then
        problem "$info is a folder" "the host has no such file: install the driver there, then make the container anew"
    elif [ -e "$info" ] && [ ! -r "$info" ]; then
        problem "$info may not be read by user $(id -u)" "add --group-add $(stat -c %g "$info"), its group on the host"
    elif [ ! -r "$info" ]; then
        problem "the driver of the host is not in the container" "add -v $info:$info:ro"
    else
        look_at_pairing "$(sed -n 's/^Version=\([^[:space:]]*\).*/\1/p' "$info" | head -n 1)"
    fi
    [ -n "$(find $ascend/driver/lib64 -name 'libascend_hal.so*' 2>/dev/null | head -n 1)" ] ||
        problem "libascend_hal.so of the host is not in the container" "add -v $ascend/driver/lib64:$ascend/driver/lib64:ro"
}

# NPUDOCTOR_DRIVERS and NPUDOCTOR_DRIVERS_REFUSED come from the matrix when the image is built.
look_at_pairing() {
    local driver=${1,,}
    if [ -z "$driver" ]; then
        problem "$ascend/driver/version.info names no version" "install the driver on the host anew"
        return
    fi
    case " ${NPUDOCTOR_DRIVERS_REFUSED:-} " in
    *" $driver "*)
        problem "driver $1 does not go with CANN ${NPUDOCTOR_CANN:-of this image}" \
            "npudoctor matrix query driver=$1 cann=${NPUDOCTOR_CANN:-VERSION}"
        return
        ;;
    esac
    case " ${NPUDOCTOR_DRIVERS:-} " in
    *" $driver "*) ;;
    *) echo "npudoctor: no source speaks of driver $1 with CANN ${NPUDOCTOR_CANN:-of this image}; it starts all the same" >&2 ;;
    esac
}

raise_stack() {
    local stack
    stack=$(ulimit -s)
    [ "$stack" = unlimited ] || [ "$stack" -ge 16384 ] || ulimit -s 16384 2>/dev/null ||
        problem "the stack limit is $stack KB, the runtime wants 16384" "add --ulimit stack=33554432"
}

# The scripts of the vendor read variables that may not be set.
load() {
    local script=$1
    shift # a script without arguments of its own sees ours
    [ -r "$script" ] || return 0
    npudoctor_loading=$script # not local: gone where `set -e` of the script ends all
    trap 'echo "npudoctor: $npudoctor_loading ended with $? before the command could start; see what is in it" >&2' EXIT
    set +u
    # shellcheck disable=SC1090
    . "$script" "$@"
    set -u +e
    trap - EXIT
}

if [ "${NPUDOCTOR_PREFLIGHT:-on}" != off ]; then
    look_at_devices
    look_at_driver
    raise_stack
    [ "$problems" = 0 ] || exit 78 # EX_CONFIG of sysexits.h: to try again helps nobody
fi

export LD_LIBRARY_PATH=$ascend/driver/lib64/driver:$ascend/driver/lib64/common:$ascend/driver/lib64:${LD_LIBRARY_PATH:-}
if [ -r $ascend/cann/set_env.sh ]; then load $ascend/cann/set_env.sh; else load $ascend/ascend-toolkit/set_env.sh; fi
load $ascend/nnal/atb/set_env.sh ${NPUDOCTOR_NNAL_ABI:+--cxx_abi="$NPUDOCTOR_NNAL_ABI"}
load $ascend/atb-models/set_env.sh
load $ascend/mindie/set_env.sh

exec "$@"
