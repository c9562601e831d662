#!/bin/sh
# The first program of a simulated host with a root of its own: what is installed, device nodes, then sshd.
npus=8 dies=1
rm -f /.dockerenv # so that it is read as a machine, not as a container on one
while IFS=' ' read -r key value; do
  case $key in
  npus:) npus=$value ;;
  dies:) dies=$value ;;
  esac
done </lab/host.yaml

# Once: what is changed later outlives a restart.
[ -e /var/lib/lab-installed ] || { cp -a /lab/root/. / && : >/var/lib/lab-installed; }

number=0
while [ "$number" -lt "$((npus * dies))" ]; do
  mknod -m 660 "/dev/davinci$number" c 236 "$number"
  number=$((number + 1))
done
[ "$npus" = 0 ] || for name in davinci_manager devmm_svm hisi_hdc; do mknod -m 660 "/dev/$name" c 237 0; done

exec /usr/sbin/sshd -D -e -f /lab/sshd_config
