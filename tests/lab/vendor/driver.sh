# The driver: files, a kernel module for the running kernel, and a load at once where none was loaded.
label=Driver
. ./hdk.sh

main() {
  options "$@"
  if [ -n "$version_only" ]; then say INFO "driver version :$version" && leave 0; fi
  say INFO "LogFile: $SECLOG/ascend_install.log"
  say INFO "OperationLogFile: $SECLOG/operation.log"
  architecture
  product
  alone
  place
  old=$(sed -n 's/^Version=//p' "$base/driver/version.info" 2>/dev/null)
  [ -z "$uninstall" ] || { doing=Uninstall && uninstall_driver; }
  [ -z "$old" ] || say INFO "base version is $old."
  say WARNING "$(yellow 'Do not power off or restart the system during the installation/upgrade')"
  checks
  [ -n "$quiet$upgrade" ] || [ -z "$old" ] || overwrite
  begin
  install_driver
}

checks() {
  doing=Install
  [ -z "$upgrade" ] || doing=Upgrade
  missing=''
  for tool in lspci ifconfig; do command -v "$tool" >/dev/null || missing="$missing$tool,"; done
  [ -z "$missing" ] || { say ERROR "The list of missing tools: $missing" && leave 1; }
  owner
  room 300
  [ -z "$old" ] || occupied
  floor=$(state driver_floor "$(least "$(state hw_base 0)")")
  anti_rollback
}

# The least version for a hardware base (version_cap.map of the driver package, read 2026-11).
least() {
  case $1 in
  234) echo 23.0.0 ;;
  235) echo 24.1.rc2 ;;
  236) echo 24.1.rc3 ;;
  237) echo 24.1.rc4 ;;
  238) echo 25.2.0 ;;
  239) echo 25.2.2 ;;
  240) echo 25.3.rc1 ;;
  esac
}

overwrite() {
  say INFO "Driver package has been installed on the path $base, the version is $old, and the version of this package is $version,do you want to continue?  [y/n] "
  while read -r answer; do
    case $answer in
    n) say INFO 'installation Stoped!' && leave 0 ;;
    y) return ;;
    *) say ERROR 'ERR_NO:0x0002;ERR_DES:input error, please input again!' ;;
    esac
  done
  leave 1
}

install_driver() {
  loaded=$(lsmod | grep -c drv_pcie_host)
  remember
  remove_driver
  if build_tools && copy && module; then finish; fi
  say INFO "Failed to $(echo "$doing" | tr A-Z a-z) driver package, please retry after uninstall and reboot!"
  operation "$doing" failed
  leave 1
}

remember() {
  mkdir -p "$base"
  set_info UserName "$user"
  set_info UserGroup "$group"
  set_info Driver_Install_Type "$type"
  set_info Driver_Install_Path_Param "$base"
  if [ -z "$upgrade" ]; then set_info Driver_Install_For_All "$for_all"; fi
  chmod 644 "$INSTALL_INFO"
}

# Without a module for this very kernel in the package it is built here.
build_tools() {
  for tool in gcc make dkms; do
    command -v "$tool" >/dev/null || { log ERROR "$tool is not installed" && bad Drv_dkms_env_check && return 1; }
  done
  [ -e "/lib/modules/$(uname -r)/build/Makefile" ] || {
    log ERROR "/lib/modules/$(uname -r)/build is not there: the kernel headers of $(uname -r) are needed"
    bad Drv_dkms_env_check
    return 1
  }
}

bad() { say ERROR "$(red "$1 failed, details in : $SECLOG/ascend_install.log")"; }

copy() {
  say INFO 'upgradePercentage:10%'
  mkdir -p "$base/driver" && cp -r payload/driver/tools "$base/driver/" || { bad Drv_file_copy && return 1; }
  say INFO 'upgradePercentage:30%'
  halfway || { bad Drv_file_copy && return 1; }
  cp -r payload/. "$base/" || { bad Drv_file_copy && return 1; }
  mkdir -p /usr/local/dcmi /etc/ld.so.conf.d
  cp "$base/driver/lib64/driver/libdcmi.so" /usr/local/dcmi/
  cp "$base/driver/tools/npu-smi" /usr/local/sbin/npu-smi
  cp "$base/driver/tools/npu-smi" /usr/local/bin/npu-smi
  ln -sf "$base/driver/tools/hccn_tool" /usr/bin/hccn_tool
  cp uninstall.sh "$base/driver/script/uninstall.sh"
  permit "$base/driver"
  echo "DAVINCI_HOME_PATH=$base" >/lib/davinci.conf
  printf '%s\n' "$base/driver/lib64/common" "$base/driver/lib64/driver" "$base/driver/lib64" \
    >/etc/ld.so.conf.d/ascend_driver_so.conf
  [ -e /etc/hccn.conf ] || { : >/etc/hccn.conf && chmod 640 /etc/hccn.conf; }
  say INFO 'upgradePercentage:40%'
}

module() {
  folder=/lib/modules/$(uname -r)
  mkdir -p "$folder/updates" "/var/lib/dkms/davinci_ascend/1.0/$(uname -r)/log"
  echo "$version" >"$folder/updates/drv_pcie_host.ko"
  echo "DKMS make.log for davinci_ascend-1.0" >"/var/lib/dkms/davinci_ascend/1.0/$(uname -r)/log/make.log"
  say INFO 'upgradePercentage:90%'
  sed "s/VERSION/$version/" version.info >"$base/driver/version.info"
  chmod 444 "$base/driver/version.info"
}

finish() {
  say INFO 'upgradePercentage:100%'
  set_info Driver_Install_Status complete
  operation "$doing" success
  [ -z "$LAB_PLANT" ] || exit 0
  word=$(echo "${doing%e}ed" | tr A-Z a-z)
  if [ -z "$force" ] && { [ "$loaded" = 0 ] || [ "$(state hot_reset no)" = yes ]; } && [ "$(state slow_chips no)" = no ]; then
    /system/load.sh now
    say INFO "$(green "Driver package $word successfully! The new version takes effect immediately.")"
    leave 0
  fi
  [ "$(state slow_chips no)" = no ] || say WARNING 'There are some chips not ready, please check after reboot'
  say INFO "$(green "Driver package $word successfully!")$(red 'Reboot needed for installation/upgrade to take effect!')"
  leave 2
}

remove_driver() {
  rm -f "$base/driver/version.info"
  rm -rf "$base/driver" /var/lib/dkms/davinci_ascend
  rm -f /lib/modules/*/updates/drv_pcie_host.ko /usr/local/sbin/npu-smi /usr/local/bin/npu-smi \
    /usr/bin/hccn_tool
  rm -rf /usr/local/dcmi
}

uninstall_driver() {
  [ -n "$(get_info Driver_Install_Path_Param)" ] ||
    refuse 0x0080 'Driver package is not installed on this device, uninstall failed'
  occupied
  begin
  remove_driver
  sed -i '/^Driver_/d' "$INSTALL_INFO"
  grep -q Install_Path_Param "$INSTALL_INFO" || rm -f "$INSTALL_INFO"
  operation Uninstall success
  if [ "$(state hot_reset no)" = yes ]; then
    /system/load.sh unload
    say INFO "$(green 'Driver package uninstalled successfully! Uninstallation takes effect immediately.')"
  else
    say INFO "$(green 'Driver package uninstalled successfully!')$(red 'Reboot needed for uninstallation to take effect!')"
  fi
  leave 0
}
