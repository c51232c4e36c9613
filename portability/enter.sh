#!/bin/sh
# enter.sh ROOT FOLDER [SHARED...] -- COMMAND...: runs COMMAND in ROOT, a Debian of root.sh, with
# FOLDER as working directory. SHARED are folders of the host, seen in ROOT under the same paths.
#
# All mounts are in a namespace of the command's own: they end with it, whatever ends it, and no
# rm -rf of ROOT ever meets the host's files.
set -eu
[ "$(id -u)" = 0 ] || { echo "enter.sh: only root can enter $1" >&2; exit 1; }
exec unshare --mount --propagation private -- sh -euc '
	root=$1 folder=$2
	shift 2
	for system in /proc /sys /dev; do mount --rbind $system "$root$system"; done
	while [ "$1" != -- ]; do
		mkdir -p "$root$1"
		mount --bind "$1" "$root$1"
		shift
	done
	shift
	exec chroot "$root" /bin/sh -c "cd \"\$0\" && exec \"\$@\"" "$folder" "$@"
' sh "$@"
