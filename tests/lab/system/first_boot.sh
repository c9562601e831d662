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
[ -z "$(state next_kernel)" ] || {
  mkdir -p "/lib/modules/$(state next_kernel)/kernel" /boot
  : >"/boot/vmlinuz-$(state next_kernel)"
}

driver=$(state driver none) firmware=$(state firmware none)
echo "$(state factory 7.1.0.3.220)" >/lab/flash
[ "$driver$firmware" != nonenone ] || [ "$(state user none)" != none ] || exit 0
groupadd HwHiAiUser && useradd -g HwHiAiUser -m -s /bin/bash HwHiAiUser
for planted in driver firmware; do
  [ -d "/lab/planted/$planted" ] || continue
  (cd "/lab/planted/$planted" && LAB_PLANT=1 sh ./install.sh --full --quiet --install-for-all)
done
