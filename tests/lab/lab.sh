# Shared by the simulated tools: the state of the simulated host, its faults, and a record of every call.
# The state is the flat YAML file `host.yaml` in the folder above `bin`: `key: value` lines.
LAB=${0%/*}/..
CALL="${0##*/}${*:+ $*}"
NL='
'

chip=910B3 dies=1 npus=8 hbm_mb=65536 driver=24.1.rc2 firmware=7.5.0.1.129 pci=d802 lines=3 delay=0 net=192.0.2 sick='' fault='' bad_driver=none

while IFS=' ' read -r key value; do
  case $key in
  chip:) chip=$value ;;
  dies:) dies=$value ;;
  npus:) npus=$value ;;
  hbm_mb:) hbm_mb=$value ;;
  driver:) driver=$value ;;
  firmware:) firmware=$value ;;
  pci:) pci=$value ;;
  lines:) lines=$value ;;
  delay:) [ "${0##*/}" != npu-smi ] || delay=$value ;;
  hccn_delay:) [ "${0##*/}" != hccn_tool ] || delay=$value ;;
  net:) net=$value ;;
  bad_driver:) bad_driver=$value ;;
  sick:) sick=" $value " ;;
  hang: | deaf: | flood: | errors: | garbage: | nul: | die:) [ "$value" != "$CALL" ] || fault=${key%:} ;;
  esac
done <"$LAB/host.yaml"

# A host that boots knows better what runs; `none` is a driver that is not loaded.
[ ! -r "$LAB/running" ] || . "$LAB/running"
[ "$bad_driver" != "$driver" ] || sick=all

enter() { printf '+ %s\n' "$CALL" >>"$LAB/calls"; }
leave() { printf -- '- %s\n' "$CALL" >>"$LAB/calls"; }

# What a tool does when it is broken.
suffer() {
  case $fault in
  hang) sleep 300 ;;
  deaf) trap '' TERM INT HUP; while :; do sleep 1; done ;;
  flood) exec cat /dev/zero ;;
  errors) exec cat /dev/zero >&2 ;;
  garbage) head -c 20000 /dev/urandom ;;
  nul) printf 'one\0two\nthree' ;;
  die) kill -9 $$ ;;
  *) return ;;
  esac
  exit 1
}

enter
trap leave EXIT
[ "$delay" = 0 ] || sleep "$delay"
suffer
