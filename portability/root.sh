#!/bin/sh
# root.sh DIR SUITE COMPONENTS PACKAGES [DEB=FOLDER...]: a Debian of its own in DIR, made where it
# is missing and completed where it lacks a package. A Debian machine's own mirror serves it, and
# ANYCL_MIRROR names another. DEB=FOLDER unpacks a package without what it depends on.
#
# Lists are words with spaces between: root.sh /var/x trixie "main" "pocl-opencl-icd clinfo".
set -eu
dir=$1 suite=$2 components=$3 packages=$4
shift 4
export DEBIAN_FRONTEND=noninteractive
wanted="$suite; $components; $packages; $*"

mkdir -p "$(dirname "$dir")"
exec 9>"$dir.lock" # two that want it make it once
flock 9
if [ -f "$dir/.anycl" ] && [ "$(cat "$dir/.anycl")" = "$wanted" ]; then
	exit 0
fi
[ "$(id -u)" = 0 ] || { echo "root.sh: only root can make $dir" >&2; exit 1; }

mirror=${ANYCL_MIRROR:-}
for list in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
	[ -n "$mirror" ] || [ ! -f $list ] ||
		mirror=$(awk '/^URIs:/ {print $2; exit} /^deb / {for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) {print $i; exit}}' $list)
done
mirror=${mirror:-http://deb.debian.org/debian}

if [ ! -x "$dir/usr/bin/apt-get" ]; then
	command -v debootstrap >/dev/null || {
		apt-get -o DPkg::Lock::Timeout=300 update -qq
		apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends debootstrap debian-archive-keyring >/dev/null
	}
	# One that was cut off may have left its mounts.
	awk -v at="$dir.new/" 'index($2, at) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount
	rm -rf --one-file-system "$dir.new"
	debootstrap --variant=minbase "$suite" "$dir.new" "$mirror" >"$dir.log" 2>&1 9>&- || { tail -5 "$dir.log" >&2; exit 1; }
	mv "$dir.new" "$dir"
fi
printf 'deb %s %s %s\n' "$mirror" "$suite" "$components" >"$dir/etc/apt/sources.list"
# What is no stable release is not signed anew for old snapshots of it, and services are not started.
echo 'Acquire::Check-Valid-Until "false";' >"$dir/etc/apt/apt.conf.d/99anycl"
printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"
chmod +x "$dir/usr/sbin/policy-rc.d"
cp /etc/resolv.conf "$dir/etc/resolv.conf"
here=$(dirname "$0")
{
	"$here/enter.sh" "$dir" / -- apt-get update -qq
	# shellcheck disable=SC2086 # words
	"$here/enter.sh" "$dir" / -- apt-get install -y -qq --no-install-recommends $packages
	for deb in "$@"; do
		"$here/enter.sh" "$dir" /tmp -- sh -ec 'rm -f "$1"_*.deb; apt-get -qq -o APT::Sandbox::User=root download "$1"; dpkg -x "$1"_*.deb "$2"; rm "$1"_*.deb' \
			sh "${deb%%=*}" "${deb#*=}"
	done
	"$here/enter.sh" "$dir" / -- apt-get clean
} >>"$dir.log" 2>&1 9>&- || { tail -5 "$dir.log" >&2; exit 1; }
echo "$wanted" >"$dir/.anycl"
