#!/bin/sh
# sudo as far as it matters: -n, -k, -S, -p PROMPT, -u USER; the password that it wants stands in a file.
quiet='' prompt='Password:' user=root
while :; do
  case $1 in
  -n) quiet=1 ;;
  -k | -S) ;;
  -p) prompt=$2; shift ;;
  -u) user=$2; shift ;;
  *) break ;;
  esac
  shift
done
password=''
read -r password <"${0%/*}/../sudo_password"
if [ -n "$password" ]; then
  if [ -n "$quiet" ]; then echo 'sudo: a password is required' >&2; exit 1; fi
  for try in 1 2 3; do
    printf %s "$prompt" >&2
    IFS= read -r typed || { printf '\nsudo: no password was provided\n' >&2; exit 1; }
    [ "$typed" != "$password" ] || break
    echo 'Sorry, try again.' >&2
    [ "$try" != 3 ] || { echo 'sudo: 3 incorrect password attempts' >&2; exit 1; }
  done
fi
SUDO_USER=$user exec "$@"
