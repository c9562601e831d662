#!/bin/sh
# As the kernel does: what was written becomes the word in brackets among all that can be chosen. `clear`: nothing
# was written, so that a program that does not cut the file off first can write.
bracket() {
  [ -e "$1" ] || return
  written=$(cat "$1")
  case $written in *\[*) return ;; esac
  echo " $2 " | sed "s/ ${written:-$3} / [${written:-$3}] /; s/^ //; s/ \$//" >"$1"
}

if [ "$1" = clear ]; then
  for file in /run/lab/choice-*; do : >"$file"; done
  exit
fi
bracket /run/lab/choice-enabled 'always madvise never' madvise
bracket /run/lab/choice-policy 'default performance powersave powersupersave' default
