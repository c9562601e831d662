# The firmware: files on the host and the flash of the chips; it runs from the next start on.
# The vendor's installer of it is not public: its words follow those of the driver's and of the manual.
label=Firmware
. ./hdk.sh

main() {
  options "$@"
  if [ -n "$version_only" ]; then say INFO "firmware version :$version" && leave 0; fi
  say INFO "LogFile: $SECLOG/ascend_install.log"
  say INFO "OperationLogFile: $SECLOG/operation.log"
  product
  alone
  place
  doing=Install
  [ -z "$upgrade" ] || doing=Upgrade
  [ -z "$uninstall" ] || uninstall_firmware
  owner
  room 32
  occupied
  floor=$(state firmware_floor)
  anti_rollback
  [ -n "$LAB_PLANT" ] || [ -x "$base/driver/tools/upgrade-tool" ] || {
    say ERROR "The driver is not installed on this device, please install the driver first, details in : $SECLOG/ascend_install.log"
    leave 1
  }
  begin
  install_firmware
}

install_firmware() {
  set_info UserName "$user"
  set_info UserGroup "$group"
  set_info Firmware_Install_Type "$type"
  set_info Firmware_Install_Path_Param "$base"
  mkdir -p "$base/firmware"
  rm -f "$base/firmware/version.info"
  say INFO 'upgradePercentage:0%'
  halfway && cp -r payload/. "$base/" && cp uninstall.sh "$base/firmware/script/uninstall.sh" || {
    say ERROR "$(red "Firmware package ${doing%e}ed failed, details in : $SECLOG/ascend_install.log")"
    operation "$doing" failed
    leave 1
  }
  permit "$base/firmware"
  echo "$version" >/lab/flash
  sed "s/VERSION/$version/" version.info >"$base/firmware/version.info"
  chmod 444 "$base/firmware/version.info"
  say INFO 'upgradePercentage:100%'
  operation "$doing" success
  word=$(echo "${doing%e}ed" | tr A-Z a-z)
  say INFO "$(green "Firmware package $word successfully! Reboot now or after driver installation for the installation/upgrade to take effect.")"
  leave 0
}

uninstall_firmware() {
  [ -n "$(get_info Firmware_Install_Path_Param)" ] ||
    refuse 0x0080 'Firmware package is not installed on this device, uninstall failed'
  begin
  rm -rf "$base/firmware"
  sed -i '/^Firmware_/d' "$INSTALL_INFO"
  grep -q Install_Path_Param "$INSTALL_INFO" || rm -f "$INSTALL_INFO"
  operation Uninstall success
  say INFO "$(green 'Firmware package uninstalled successfully!')"
  leave 0
}
