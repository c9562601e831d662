#!/bin/sh
# What was installed on a host before anybody of us came: its kernel's headers, its users, its driver, its CANN.
. /system/state.sh
set -e
release=$(kernel_release)

ln -s /lab/running /usr/local/running
rm -f /usr/local/bin/npu-smi /usr/local/bin/hccn_tool # they come with the driver
for tool in /system/bin/*; do ln -sf "$tool" "/usr/local/bin/${tool##*/}"; done
for tool in reboot shutdown poweroff halt; do ln -sf /system/bin/systemctl "/usr/sbin/$tool"; done
for tool in $(state lacks); do rm -f "/usr/local/bin/$tool"; done
case $(state os) in
ubuntu*) printf '%s\n' 'NAME="Ubuntu"' 'ID=ubuntu' 'ID_LIKE=debian' "VERSION_ID=\"$(state os | tr -d a-z)\"" \
  "PRETTY_NAME=\"Ubuntu $(state os | tr -d a-z) LTS\"" >/etc/os-release ;;
esac
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

state factory 7.1.0.3.220 >/lab/flash

# UNIT: started at every boot.
enable() {
  mkdir -p /etc/systemd/system/multi-user.target.wants
  cp "/system/units/$1" /etc/systemd/system/
  ln -sf "../$1" "/etc/systemd/system/multi-user.target.wants/$1"
}
cp /system/units/kernel-choice.service /etc/systemd/system/
enable kernel-choice.path
for unit in systemd-ask-password-console.path systemd-ask-password-wall.path; do
  ln -sf /dev/null "/etc/systemd/system/$unit" # each would take one of the machine's few inotify instances
done
for unit in systemd-sysctl systemd-tmpfiles-setup; do
  mkdir -p "/etc/systemd/system/$unit.service.d"
  cp "/system/units/$unit.conf" "/etc/systemd/system/$unit.service.d/lab.conf"
done
printf '%s\n' 'GRUB_DEFAULT=0' 'GRUB_TIMEOUT=5' 'GRUB_CMDLINE_LINUX_DEFAULT="quiet"' 'GRUB_CMDLINE_LINUX=""' >/etc/default/grub
PATH=/usr/local/bin:$PATH update-grub 2>/dev/null
if [ -n "$(state docker)" ]; then
  ln -sf /system/docker/docker /system/docker/dockerd /usr/local/bin/
  mkdir -p /etc/docker
  enable docker.service
fi
if [ "$(state docker)" = real ]; then
  mkdir -p /etc/systemd/system/docker.service.d
  cp /system/units/docker-real.conf /etc/systemd/system/docker.service.d/
  rm /usr/local/bin/docker
  printf '#!/bin/sh\nexec /system/docker/real docker "$@"\n' >/usr/local/bin/docker
  chmod 755 /usr/local/bin/docker
fi
[ -z "$(state busy)" ] || enable training.service

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

if [ -n "$(state hccn)" ]; then
  number=0
  while [ "$number" -lt "$(($(state npus 8) * $(state dies 1)))" ]; do
    printf '%s_%s=%s\n' address "$number" "$(state net).$((10 + number))" netmask "$number" 255.255.255.0 \
      gateway "$number" "$(state net).1" netdetect "$number" "$(state net).1"
    number=$((number + 1))
  done >/etc/hccn.conf
fi
