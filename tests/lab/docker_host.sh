#!/bin/sh
# A simulated Ascend host with a container engine of its own, in mounts of its own: what is mounted here, and the
# nodes in /dev, nobody else on the machine sees. Run by `unshare --mount`; ends with the engine.
# FOLDER: what Python put there: `usr-local` and `etc` are laid over the machine's, and `nodes` lists the NPUs' nodes.
set -eu
folder=$1
mount --make-rprivate /

mkdir -p "$folder/layers"
mount -t tmpfs lab "$folder/layers"
for place in usr/local etc; do
  name=$(echo "$place" | tr / -)
  mkdir "$folder/layers/$name" "$folder/layers/$name.work"
  cp -a "$folder/$name/." "$folder/layers/$name"
  mount -t overlay lab -o "lowerdir=/$place,upperdir=$folder/layers/$name,workdir=$folder/layers/$name.work" "/$place"
done

mount -t tmpfs lab "$folder/dev"
for name in null zero full random urandom tty fuse; do
  [ ! -e "/dev/$name" ] || cp -a "/dev/$name" "$folder/dev/$name"
done
while read -r name; do
  mknod -m 660 "$folder/dev/$name" c 1 3
  chgrp 1000 "$folder/dev/$name"
done <"$folder/nodes"
for name in pts shm mqueue; do
  [ -d "/dev/$name" ] || continue
  mkdir "$folder/dev/$name"
  mount --rbind "/dev/$name" "$folder/dev/$name"
done
ln -s /proc/self/fd "$folder/dev/fd"
ln -s pts/ptmx "$folder/dev/ptmx"
mount --move "$folder/dev" /dev
mount -t tmpfs lab /run

# The engine ends with whoever started it.
exec setpriv --pdeathsig TERM dockerd --host "unix://$folder/docker.sock" --host unix:///run/docker.sock \
  --data-root "$folder/layers/data" --exec-root /run/docker --pidfile /run/docker.pid \
  --bridge none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false --log-level error
