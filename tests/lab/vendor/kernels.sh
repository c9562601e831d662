# The operators for one chip, up to 8.3: `opp_kernel` in the folder of the toolkit.
label=kernels_$chip_name logfile=ascend_kernels_${chip_name}_install.log
. ./cann.sh

main() {
  options "$@"
  say INFO "LogFile:$SECLOG/$logfile"
  toolkit=$(toolkit_in_use)
  folder=$(folder_of "${toolkit:-$version}")
  [ "$doing" != uninstall ] || remove
  right_machine
  eula
  [ -n "$toolkit" ] && ! is_new "$toolkit" ||
    refuse 0x0080 "the toolkit is not installed in $base, please install Ascend-cann-toolkit first"
  begin
  put_in || failed
  succeeded "$title $doing success. The installation path is $base/ascend-toolkit."
}

put_in() {
  lay "$folder" || return 1
  mkdir -p "$folder/opp_kernel"
  printf 'Version=7.7.0.1.238\nversion_dir=%s\n' "$version" >"$folder/opp_kernel/version.info"
  chmod -R a+rX "$folder/opp_kernel"
  keep "$folder/opp_kernel/script" uninstall.sh
}

remove() {
  [ -d "$folder/opp_kernel" ] || refuse 0x0080 "$title is not installed, uninstall failed"
  begin
  rm -rf "$folder/opp_kernel" "$folder/opp/built-in/op_impl/ai_core/tbe/kernel"
  succeeded "$title uninstall success"
}
