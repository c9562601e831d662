# The CANN toolkit. A newer one replaces an older one with --upgrade, and takes its operators with it.
label=Toolkit logfile=ascend_toolkit_install.log
. ./cann.sh

main() {
  options "$@"
  say INFO "LogFile:$SECLOG/$logfile"
  folder=$(folder_of "$version")
  [ "$doing" != uninstall ] || remove
  right_machine
  eula
  old=$(toolkit_in_use)
  check_old
  begin
  [ "$doing" != upgrade ] || { rm -rf "$(folder_of "$old")" "$base/cann" "$base/ascend-toolkit/latest"; }
  put_in || failed
  summary
}

check_old() {
  if [ "$doing" = upgrade ]; then
    [ -n "$old" ] || refuse 0x0080 "$title is not installed in $base, upgrade failed"
    older "$old" "$version" || refuse 0x0080 "the version $old is installed: it cannot be upgraded to $version"
    return
  fi
  is_new "$version" || return 0
  for left in "$base"/ascend-toolkit/*/"$arch_folder"/ascend_toolkit_install.info; do
    case $left in */latest/*) continue ;; esac
    [ ! -e "$left" ] || refuse 0x0080 "an earlier version is in $base/ascend-toolkit: upgrade or uninstall it first"
  done
}

put_in() {
  say INFO "install start"
  lay "$folder" || return 1
  mkdir -p "$folder/$arch_folder/script" "$base/ascend-toolkit" /etc/Ascend
  install_info Ascend-cann-toolkit "$folder" >"$folder/$arch_folder/ascend_toolkit_install.info"
  chmod a+r "$folder/$arch_folder/ascend_toolkit_install.info"
  keep "$folder/$arch_folder/script" uninstall.sh
  if is_new "$version"; then
    ln -sfn "cann-$version" "$base/cann"
    ln -sfn ../cann "$base/ascend-toolkit/latest"
    environment "$base/cann" >"$folder/set_env.sh"
    ln -sf ../cann/set_env.sh "$base/ascend-toolkit/set_env.sh"
  else
    ln -sfn "$version" "$base/ascend-toolkit/latest"
    rm -f "$base/ascend-toolkit/set_env.sh"
    environment "$base/ascend-toolkit/latest" >"$base/ascend-toolkit/set_env.sh"
  fi
  echo "Toolkit_Install_Path_Param=$base" >/etc/Ascend/ascend_cann_install.info
  say INFO 'Write Toolkit_InstallPath to /etc/Ascend/ascend_cann_install.info.'
}

environment() {
  cat <<TEXT
export ASCEND_TOOLKIT_HOME=$1
export ASCEND_HOME_PATH=$1
export ASCEND_OPP_PATH=$1/opp
export ASCEND_AICPU_PATH=$1
export TOOLCHAIN_HOME=$1/toolkit
export LD_LIBRARY_PATH=$1/lib64:$1/lib64/plugin/opskernel:$base/driver/lib64/common:$base/driver/lib64/driver\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export PYTHONPATH=$1/python/site-packages:$1/opp/built-in/op_impl/ai_core/tbe\${PYTHONPATH:+:\$PYTHONPATH}
export PATH=$1/bin:$1/compiler/ccec_compiler/bin\${PATH:+:\$PATH}
TEXT
}

summary() {
  printf '\n===========\n= Summary =\n===========\n\n'
  [ ! -r "$base/driver/version.info" ] || echo "Driver:   Installed in $base/driver."
  home=$base/ascend-toolkit
  ! is_new "$version" || home=$base/cann
  echo "Toolkit:  $title $doing success, installed in $base."
  printf '\nPlease make sure that the environment variables have been configured.\n'
  echo "-  To take effect for all users, you can add \"source $home/set_env.sh\" to /etc/profile."
  operation "$doing" success
  leave 0
}

remove() {
  [ -d "$folder" ] || refuse 0x0080 "$title is not installed in $base, uninstall failed"
  begin
  rm -rf "$folder"
  for link in "$base/cann" "$base/ascend-toolkit/latest"; do
    [ ! -L "$link" ] || [ -e "$link" ] || rm -f "$link"
  done
  if [ -z "$(ls "$base/ascend-toolkit" 2>/dev/null | grep -v set_env.sh)" ]; then rm -rf "$base/ascend-toolkit"; fi
  [ -n "$(toolkit_in_use)" ] || rm -f /etc/Ascend/ascend_cann_install.info
  rmdir --ignore-fail-on-non-empty "$base" 2>/dev/null
  succeeded "$title uninstall success"
}
