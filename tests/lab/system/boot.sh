#!/bin/sh
# The first program of a host that boots systemd: what power-on does before the operating system is there.
. /system/state.sh

uuid=$(cat /proc/sys/kernel/random/uuid)
mkdir -p /run/lab
[ -e /lab/running ] || echo driver=none >/lab/running

# A host that does not come back: it hangs before anything listens, until somebody changes its state.
while [ -n "$(state no_return)" ]; do sleep 0.2; done
sleep "$(state slow_boot 0)"

# On cgroups of version 2 the host has a tree of its own, which Docker gives it for reading.
[ ! -e /sys/fs/cgroup/cgroup.controllers ] || mount -o remount,rw /sys/fs/cgroup

[ -e /var/lib/lab-installed ] || { sh /system/first_boot.sh >/lab/first_boot.log 2>&1 && : >/var/lib/lab-installed; }
rm -f /.dockerenv # so that it is read as a machine, not as a container on one
/system/kernel.sh "$uuid"
/system/load.sh boot

echo "$uuid $(date +%s)" >>/lab/boots
export container=docker # systemd must know; nothing else on the host does
exec /sbin/init
