# Sourced by the installers of driver and firmware: options and what both check first.
logfile=ascend_install.log

# Options may stand in any order; some stand alone.
options() {
  asked=$* alone=0 kinds=0
  [ $# -gt 0 ] || refuse 0x0004 'only support one type: full/debug/run/docker/devel, operation failed!'
  for word; do
    case $word in
    --full | --run) full=yes type=${word#--} kinds=$((kinds + 1)) ;;
    --upgrade) upgrade=yes kinds=$((kinds + 1)) ;;
    --docker | --devel) full=yes type=${word#--} kinds=$((kinds + 1)) ;;
    --uninstall) uninstall=yes ;;
    --version) version_only=yes ;;
    --quiet) quiet=yes ;;
    --force) force=yes ;;
    --install-for-all) for_all=yes ;;
    --install-username=*) user=${word#*=} ;;
    --install-usergroup=*) group=${word#*=} ;;
    --install-path=*) base=${word#*=} ;;
    --nox11 | --noprogress | --norebuild) ;;
    *) say ERROR "Unrecognized parameters: $word" && leave 1 ;;
    esac
  done
  fitting
}

fitting() {
  [ "$kinds" -le 1 ] || refuse 0x0004 'only support one type: full/debug/run/docker/devel, operation failed!'
  [ -z "$upgrade" ] || [ -z "$base" ] ||
    refuse 0x0004 'install-path param need used with full/debug/run/docker/devel.'
  [ -z "$upgrade" ] || [ "$for_all" = no ] ||
    refuse 0x0004 'install-for-all param need used with full/debug/run/devel.'
  [ -z "$upgrade" ] || [ -z "$user$group" ] ||
    refuse 0x0004 'install-username and install-usergroup params need used with full/debug/run/docker/devel.'
  if { [ -n "$user" ] && [ -z "$group" ]; } || { [ -z "$user" ] && [ -n "$group" ]; }; then
    refuse 0x0004 'Username and usergroup are not specified at the same time.'
  fi
  [ -n "$full$upgrade$uninstall$version_only" ] ||
    refuse 0x0004 'The parameter needs to be used with full/debug/run/docker/upgrade/devel.'
}

# The chips of the package must be those of this host.
product() {
  [ -z "$LAB_PLANT" ] || return 0
  lspci -n -d "19e5:$pci" 2>/dev/null | grep -q . ||
    { say ERROR 'The current installation package and environment is not match, please check.' && leave 1; }
}

architecture() {
  [ -z "$arch" ] || [ "$(uname -m)" = "$arch" ] || {
    say ERROR "$(red "Arch mismatch, src package is $arch, cur os is $(uname -m)")"
    leave 1
  }
}

# The user who owns the driver: given now, at the last installation, or the default.
owner() {
  last_user=$(get_info UserName) last_group=$(get_info UserGroup)
  if [ -n "$last_user" ] && [ -n "$user" ] && [ "$user:$group" != "$last_user:$last_group" ]; then
    refuse 0x0095 'The user and group are not same with last installation,do not support overwriting installation'
  fi
  user=${user:-${last_user:-HwHiAiUser}} group=${group:-${last_group:-HwHiAiUser}}
  [ "$user" != root ] || refuse 0x0091 'username not permission for root'
  id "$user" >/dev/null 2>&1 || refuse 0x0091 "$user not exists! Please add $user"
  getent group "$group" >/dev/null || refuse 0x0091 "$group group not exists! Please add $group group"
}

# MEGABYTES
room() {
  [ -z "$LAB_PLANT" ] || return 0
  free=$(free_megabytes "$base")
  [ "$free" -gt "$1" ] || {
    say ERROR "free space only ${free}M, cannot install $kind package (greater than $1M), please make sure enough space under the installation path"
    leave 1
  }
}

# Where: the option, the last installation, the default.
place() {
  base=${base:-$(get_info Driver_Install_Path_Param)}
  base=${base:-$(get_info Firmware_Install_Path_Param)}
  base=${base:-/usr/local/Ascend}
  base=${base%/}
}

# A newer version is burnt into the chips as the least one.
anti_rollback() {
  [ -z "$LAB_PLANT" ] && [ -n "$floor" ] && older "$version" "$floor" || return 0
  log ERROR "The $kind version $version is not allowed in this device."
  say ERROR "Version check does not match, please use version $floor or later."
  say ERROR "Driver upgrade failed, details in $SECLOG/ascend_install.log"
  leave 1
}

occupied() {
  [ -z "$force" ] || return 0
  fuser -s /dev/davinci[0-9]* 2>/dev/null || return 0
  say ERROR "$(red "The davinci nodes are occupied by some processes, please stop processes and install or uninstall again, details in : $SECLOG/ascend_install.log")"
  say INFO 'If you want to install or uninstall the driver forcibly, add the force parameter. For details, see [--help].'
  operation "$doing" failed
  leave 1
}

# Who may read it: the group of the owner, or with --install-for-all everybody.
permit() {
  chmod 755 "$base"
  chgrp -R "$group" "$1"
  find "$1" -name '*.sh' -exec chmod u+x {} +
  if [ "$(get_info Driver_Install_For_All)" = yes ]; then chmod -R go+rX "$1"; else chmod -R g+rX,o-rwx "$1"; fi
}
