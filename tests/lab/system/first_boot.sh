#!/bin/sh
# What was installed on a host before anybody of us came: its kernel's headers, its users, its driver, its CANN.
. /system/state.sh
set -e
release=$(kernel_release)

rm -f /usr/local/bin/npu-smi /usr/local/bin/hccn_tool # they come with the driver
for tool in /system/bin/*; do ln -sf "$tool" "/usr/local/bin/${tool##*/}"; done
for tool in reboot shutdown poweroff halt; do ln -sf /system/bin/systemctl "/usr/sbin/$tool"; done
for tool in $(state lacks); do rm -f "/usr/local/bin/$tool"; done
sed -i '/pam_loginuid/d' /etc/pam.d/sshd

# The headers of the running kernel, or of another (`headers: 5.10.0-1`), or none (`headers: none`).
headers=$(state headers "$release")
mkdir -p "/lib/modules/$release/kernel"
if [ "$headers" != none ]; then
  mkdir -p "/usr/src/linux-headers-$headers" "/lib/modules/$headers"
  echo "# of $headers" >"/usr/src/linux-headers-$headers/Makefile"
  ln -sfn "/usr/src/linux-headers-$headers" "/lib/modules/$headers/build"
fi
# Python asks the kernel itself; everything else asks `uname` or /proc.
[ -z "$(state kernel)$(state arch)" ] || cat /system/sitecustomize.py >>/etc/python3.11/sitecustomize.py

[ -z "$(state next_kernel)" ] || {
  mkdir -p "/lib/modules/$(state next_kernel)/kernel" /boot
  : >"/boot/vmlinuz-$(state next_kernel)"
}

echo "$(state factory 7.1.0.3.220)" >/lab/flash
if [ -n "$(state docker)" ]; then
  ln -sf /system/docker/docker /usr/local/bin/docker
  cp /system/docker/docker.service /etc/systemd/system/
  mkdir -p /etc/docker /etc/systemd/system/multi-user.target.wants
  ln -sf ../docker.service /etc/systemd/system/multi-user.target.wants/docker.service
fi
if [ -n "$(state busy)" ]; then
  mkdir -p /etc/systemd/system/multi-user.target.wants
  cp /system/training.service /etc/systemd/system/
  ln -sf ../training.service /etc/systemd/system/multi-user.target.wants/training.service
fi

# Packages as they were installed before anybody of us came.
[ -d /lab/planted ] || [ "$(state user none)" != none ] || exit 0
groupadd HwHiAiUser && useradd -g HwHiAiUser -m -s /bin/bash HwHiAiUser
for planted in /lab/planted/*; do
  case $planted in
  */\*) break ;;
  *driver | *firmware) set -- --full --quiet --install-for-all ;;
  *runtime) set -- --install ;;
  *) set -- --install --quiet --install-for-all ;;
  esac
  (cd "$planted" && echo y | ASCEND_HOME_PATH=/usr/local/Ascend LAB_PLANT=1 sh ./install.sh "$@")
done
[ -z "$(state half)" ] || rm -f /usr/local/Ascend/driver/version.info /lib/modules/*/updates/drv_pcie_host.ko
