# NNAL: versions side by side, each for both C++ ABIs. It wants the environment of CANN.
label=nnal logfile=ascend_nnal_install.log
. ./cann.sh

main() {
  options "$@"
  say INFO "LogFile:$SECLOG/$logfile"
  folder=$base/nnal/atb/$version
  [ "$doing" != uninstall ] || remove
  right_machine
  eula
  [ -n "$ASCEND_HOME_PATH" ] || refuse 0x0080 'ASCEND_HOME_PATH is not set, please source set_env.sh of the toolkit first'
  begin
  put_in || failed
  succeeded "$title $doing success! The installation path is $base/nnal."
}

put_in() {
  lay "$folder" || return 1
  printf '%s\n' "    Ascend-cann-atb : $version" "    Ascend-cann-atb Version : $version" "    Platform : $arch" \
    >"$folder/version.info"
  chmod a+r "$folder/version.info"
  keep "$folder/scripts" uninstall.sh
  ln -sfn "$version" "$base/nnal/atb/latest"
  environment >"$base/nnal/atb/set_env.sh"
  chmod -R a+rX "$base/nnal/atb/set_env.sh"
}

environment() {
  cat <<TEXT
abi=1
for word in "\$@"; do case \$word in --cxx_abi=*) abi=\${word#*=} ;; esac; done
export ATB_HOME_PATH=$base/nnal/atb/latest/atb/cxx_abi_\$abi
export LD_LIBRARY_PATH=\$ATB_HOME_PATH/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
TEXT
}

remove() {
  [ -d "$folder" ] || refuse 0x0080 "$title is not installed in $base, uninstall failed"
  begin
  rm -rf "$folder"
  [ -e "$base/nnal/atb/latest" ] || rm -f "$base/nnal/atb/latest"
  [ -n "$(ls -d "$base"/nnal/atb/[0-9]* 2>/dev/null)" ] || rm -rf "$base/nnal"
  succeeded "$title uninstall success"
}
