#!/bin/sh
# `load.sh boot|now|unload`: loads the driver that is on disk and starts the firmware that is in the flash.
# What runs then is in /lab/running, which the simulated tools read. `now` loads the driver alone.
. /system/state.sh
base=$(sed -n 's/^Driver_Install_Path_Param=//p' /etc/ascend_install.info 2>/dev/null)
base=${base:-/usr/local/Ascend}
module=/lib/modules/$(kernel_release)/updates/drv_pcie_host.ko

running() { sed -n "s/^$1=//p" /lab/running 2>/dev/null; }

version_on_disk() { sed -n 's/^Version=//p' "$base/driver/version.info" 2>/dev/null; }

# The driver that the kernel takes: whole on disk, and built for this kernel.
loadable() {
  version=$(version_on_disk)
  [ -n "$version" ] && [ "$(cat "$module" 2>/dev/null)" = "$version" ] || { echo none; return; }
  [ "$1" = boot ] && state_all bad_after_boot | grep -qx "$version" && { echo none; return; }
  echo "$version"
}

nodes() {
  rm -f /dev/davinci* /dev/devmm_svm /dev/hisi_hdc
  [ "$1" != none ] || return
  chips=$(($(state npus 8) * $(state dies 1)))
  [ "$chips" = 0 ] && return
  number=0
  while [ "$number" -lt "$chips" ]; do
    mknod -m 660 "/dev/davinci$number" c 236 "$number"
    number=$((number + 1))
  done
  for name in davinci_manager devmm_svm hisi_hdc; do mknod -m 660 "/dev/$name" c 237 0; done
  chgrp HwHiAiUser /dev/davinci* /dev/devmm_svm /dev/hisi_hdc 2>/dev/null
}

case $1 in
unload) driver=none ;;
*) driver=$(loadable "$1") ;;
esac
firmware=$(running firmware)
[ "$1" != boot ] || firmware=$(cat /lab/flash 2>/dev/null)
printf 'driver=%s\nfirmware=%s\n' "$driver" "$firmware" >/lab/running.new
mv /lab/running.new /lab/running
nodes "$driver"
