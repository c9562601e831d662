# Sourced by the installers of CANN: options, words, the folder of a version in both layouts.
# Words as the installation guides and published transcripts of 8.0 to 9.0 have them.
arch_folder=$arch-linux

say() {
  text="[$label] [$(date '+%Y%m%d-%H:%M:%S')] [$1] $2"
  printf '%b\n' "$text"
  log "$1" "$2"
}

refuse() {
  say ERROR "ERR_NO:$1;ERR_DES:$2"
  say ERROR "$title install failed, details in : $SECLOG/$logfile"
  leave 1
}

# New from 8.5 on: `cann-V` in place of `ascend-toolkit/V`.
is_new() { case $1 in [0-7].* | 8.[0-4]*) return 1 ;; *) return 0 ;; esac }

folder_of() { if is_new "$1"; then echo "$base/cann-$1"; else echo "$base/ascend-toolkit/$1"; fi; }

options() {
  asked=$* doing='' title=${name%.run}
  for word; do
    case $word in
    --install | --full | --run | --devel) doing=install ;;
    --upgrade) doing=upgrade ;;
    --uninstall) doing=uninstall ;;
    --version) echo "$version" && exit 0 ;;
    --quiet) quiet=yes ;;
    --install-for-all) for_all=yes ;;
    --install-path=*) base=${word#*=} ;;
    --force | --nox11 | --noprogress | --whitelist=* | --chip=* | --install-username=* | --install-usergroup=*) ;;
    *) say ERROR "ERR_NO:0x0004;ERR_DES:Unrecognized parameters: $word" && leave 1 ;;
    esac
  done
  base=${base:-/usr/local/Ascend} base=${base%/}
  [ -n "$doing" ] || { say ERROR 'ERR_NO:0x0004;ERR_DES:one of --install, --upgrade, --uninstall is needed' && leave 1; }
}

# Without --quiet it asks, and an end of input is no yes.
eula() {
  [ -z "$quiet" ] || return 0
  echo "Do you accept the EULA to install $title?[Y/N]"
  while read -r answer; do
    case $answer in
    y | Y) return 0 ;;
    n | N) say INFO 'User declined the EULA, installation stopped.' && leave 1 ;;
    *) echo "Do you accept the EULA to install $title?[Y/N]" ;;
    esac
  done
  leave 1
}

right_machine() {
  [ "$(uname -m)" = "$arch" ] || refuse 0x0001 "the package is for $arch, this machine is $(uname -m)"
}

# The toolkit that is in use below the install path; empty for none.
toolkit_in_use() {
  for link in "$base/cann" "$base/ascend-toolkit/latest"; do
    info=$link/$arch_folder/ascend_toolkit_install.info
    [ -r "$info" ] && sed -n 's/^version=//p' "$info" && return
  done
}

install_info() {
  printf '%s\n' "package_name=$1" "version=$version" "innerversion=$(inner "$version")" \
    'compatible_version=[V100R001C15],[V100R001C18],[V100R001C19],[V100R001C20],[V100R001C21],[V100R001C22],[V100R001C23],[V100R001C25]' \
    "arch=$arch" os=linux "path=$2/$arch_folder"
}

inner() {
  case $1 in
  8.0.*) echo V100R001C20SPC001B251 ;;
  8.1.*) echo V100R001C21SPC001B238 ;;
  8.2.*) echo V100R001C22SPC001B231 ;;
  8.3.*) echo V100R001C23SPC001B235 ;;
  8.5.*) echo V100R001C25SPC001B219 ;;
  *) echo V100R001C29SPC001B101 ;;
  esac
}

# FOLDER: what goes there. A disk that is full says so itself.
lay() {
  mkdir -p "$1" && cp -r payload/. "$1/" || return 1
  halfway || return 1
  [ ! -e padding ] || cp padding "$1/padding" || return 1
  if [ "$for_all" = yes ]; then chmod -R a+rX "$1"; else chmod -R o-rwx "$1"; fi
}

# FOLDER SCRIPT: the installer stays, to uninstall.
keep() {
  mkdir -p "$1/kept" && cp ./*.sh package.info "$1/kept/"
  printf '#!/bin/sh\ncd "%s/kept" && exec sh ./install.sh --uninstall --install-path=%s --nox11 "$@"\n' "$1" "$base" >"$1/$2"
  chmod 755 "$1/$2"
}

failed() {
  say ERROR "$title $doing failed, details in : $SECLOG/$logfile"
  leave 1
}

succeeded() {
  operation "$doing" success
  say INFO "$1"
  leave 0
}
