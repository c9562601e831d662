#!/bin/sh
# `kernel.sh BOOT_ID`: what a kernel keeps to itself, as files of this host: /proc/sys, the command line, some of /sys.
# Nothing that is written there reaches the machine that carries the host.
. /system/state.sh
sys=/run/lab/sys
cp -r /proc/sys $sys 2>/dev/null
echo "$1" >$sys/kernel/random/boot_id
[ -z "$(state kernel)" ] || state kernel >$sys/kernel/osrelease
mount --bind $sys /proc/sys

words=$(sed -n 's/^[[:space:]]*linux[[:space:]][[:space:]]*[^ ]* *//p' /boot/grub/grub.cfg | head -n 1)
echo "BOOT_IMAGE=/boot/vmlinuz-$(kernel_release) $words" >/run/lab/cmdline
mount --bind /run/lab/cmdline /proc/cmdline

# FILE CHOICES: a file of /sys with a choice, one of which is in brackets; kernel_choice.sh keeps it so.
choice() {
  [ -e "$1" ] || return
  name=/run/lab/choice-$(basename "$1")
  echo "$2" >"$name"
  mount --bind "$name" "$1"
}
choice /sys/kernel/mm/transparent_hugepage/enabled 'always [madvise] never'
choice /sys/module/pcie_aspm/parameters/policy '[default] performance powersave powersupersave'
