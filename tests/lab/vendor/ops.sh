# The operators for one chip, from 8.5 on: they go into the folder of the toolkit.
label=Ops logfile=ascend_ops_install.log
. ./cann.sh

main() {
  options "$@"
  say INFO "LogFile:$SECLOG/$logfile"
  toolkit=$(toolkit_in_use)
  folder=$(folder_of "${toolkit:-$version}")
  [ "$doing" != uninstall ] || remove
  [ "$doing" != upgrade ] || refuse 0x0004 'the parameter --upgrade is not supported'
  right_machine
  eula
  [ -n "$toolkit" ] && is_new "$toolkit" ||
    refuse 0x0080 "the toolkit is not installed in $base, please install Ascend-cann-toolkit first"
  [ "${toolkit%%.*}" = "${version%%.*}" ] || refuse 0x0080 "the version of the toolkit, $toolkit, does not fit $version"
  begin
  put_in || failed
  succeeded "$title install success. The installation path is $base."
}

put_in() {
  lay "$folder" || return 1
  install_info "Ascend-cann-$chip_name-ops" "$folder" >"$folder/$arch_folder/ascend_ops_install.info"
  chmod a+r "$folder/$arch_folder/ascend_ops_install.info"
  keep "$folder/$arch_folder/script/ops" ops_uninstall.sh
  mv "$folder/$arch_folder/script/ops/ops_uninstall.sh" "$folder/$arch_folder/script/ops_uninstall.sh"
}

remove() {
  [ -e "$folder/$arch_folder/ascend_ops_install.info" ] || refuse 0x0080 "$title is not installed, uninstall failed"
  begin
  rm -rf "$folder/opp/built-in/op_impl/ai_core/tbe/kernel" "$folder/share/info/ops_nn" "$folder/$arch_folder/script/ops"
  rm -f "$folder/$arch_folder/ascend_ops_install.info" "$folder/$arch_folder/script/ops_uninstall.sh"
  succeeded "$title uninstall success"
}
