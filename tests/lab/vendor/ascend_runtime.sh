# The container runtime: a program, a list of mounts, and an entry in daemon.json. It asks for its EULA.
logfile=ascend-docker-runtime-install.log base=/usr/local scene=docker

say() { echo "[$1] $2" && log "$1" "$2"; }

main() {
  asked=$* doing=''
  for word; do
    case $word in
    --install | --uninstall | --upgrade) doing=${word#--} ;;
    --install-path=*) base=${word#*=} ;;
    --install-scene=*) scene=${word#*=} ;;
    --version) echo "ascend-docker-runtime version: $version" && exit 0 ;;
    --quiet | --nox11 | --noprogress | --injection-mode=* | --install-type=* | --ce=*) ;;
    *) say ERROR "failed, unsupported parameters: $word" && exit 1 ;;
    esac
  done
  home=$base/Ascend/Ascend-Docker-Runtime
  [ "$base" = /usr/local ] || home=$base/Ascend-Docker-Runtime
  case $doing in
  install) put_in ;;
  uninstall) take_out ;;
  upgrade) renew ;;
  *) say ERROR 'failed, unsupported parameters' && exit 1 ;;
  esac
}

right_machine() {
  [ "$(uname -m)" = "$arch" ] || { say ERROR "$doing failed, run package and os not matched in arch" && exit 1; }
}

eula() {
  echo 'Do you accept the EULA to install Ascend-docker-runtime?[Y/N]'
  while read -r answer; do
    case $answer in
    y | Y) say INFO 'user accepted EULA' && return ;;
    n | N) say INFO 'install cancelled, user declined EULA' && exit 0 ;;
    *) echo 'Do you accept the EULA to install Ascend-docker-runtime?[Y/N]' ;;
    esac
  done
  exit 1
}

put_in() {
  eula
  echo '[INFO] installing ascend-docker-runtime'
  right_machine
  begin
  place || { say ERROR 'install failed' && leave 1; }
  echo '[INFO] install executable files success'
  echo "[INFO] install scene is '$scene'."
  [ "$scene" != docker ] || edit add || { say ERROR 'install failed, /etc/docker/daemon.json is invalid' && leave 1; }
  say INFO '/etc/docker/daemon.json modify success'
  echo "[INFO] ascend-docker-runtime has been installed in: $home"
  echo "[INFO] The version of ascend-docker-runtime is: $version"
  echo '[INFO] please reboot daemon and container engine to take effect'
  say INFO 'ascend-docker-runtime install success'
  leave 0
}

place() {
  mkdir -p "$home/script" "$home/assets" /etc/ascend-docker-runtime.d || return 1
  halfway || return 1
  cp -r payload/. "$home/" || return 1
  cp payload/assets/base.list /etc/ascend-docker-runtime.d/base.list
  printf '%s\n' "version=v$version" "arch=$arch" os=linux "path=$home" "build=Ascend-docker-runtime_$version-$arch" \
    "install-scene=$scene" >"$home/ascend_docker_runtime_install.info"
  mkdir -p "$home/script/kept" && cp ./*.sh package.info "$home/script/kept/"
  printf '#!/bin/sh\ncd "%s/script/kept" && exec sh ./install.sh --uninstall --install-path=%s\n' "$home" "$base" \
    >"$home/script/uninstall.sh"
  chmod 755 "$home/script/uninstall.sh"
}

# add|rm: the runtime `ascend` as the default one; what else is in the file stays.
edit() {
  mkdir -p /etc/docker
  python3 - "$1" "$home/ascend-docker-runtime" <<'TEXT'
import json, os, sys
path = "/etc/docker/daemon.json"
told = json.load(open(path)) if os.path.exists(path) and os.path.getsize(path) else {}
runtimes = told.setdefault("runtimes", {})
if sys.argv[1] == "add":
    runtimes["ascend"] = {"path": sys.argv[2], "runtimeArgs": []}
    told["default-runtime"] = "ascend"
else:
    runtimes.pop("ascend", None)
    told.pop("default-runtime", None)
with open(path, "w") as file:
    json.dump(told, file, indent=4)
TEXT
}

take_out() {
  echo "[INFO] uninstalling ascend-docker-runtime $version"
  [ -d "$home" ] || { say WARNING 'uninstall skipping, the specified install path does not exist' && exit 0; }
  begin
  edit rm
  rm -rf "$home" /etc/ascend-docker-runtime.d
  say INFO 'ascend-docker-runtime uninstall success'
  leave 0
}

renew() {
  echo '[INFO] upgrading ascend-docker-runtime'
  right_machine
  [ -d "$home" ] || { say ERROR 'upgrade failed, the specified install path does not exist, stopping upgrading' && exit 1; }
  begin
  place || { say ERROR 'upgrade failed' && leave 1; }
  echo '[INFO] upgrade ascend-docker-runtime success'
  say INFO 'ascend-docker-runtime upgrade success'
  leave 0
}
