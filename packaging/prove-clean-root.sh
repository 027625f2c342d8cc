#!/usr/bin/env bash
# Proves ./run and ./test in a bare Debian root: packaging/prove-clean-root.sh [-k] [-s SUITE] [-d FOLDER] [COMMAND]
#
# Makes a minimal Debian with debootstrap, puts a clone of the last commit in it, and runs COMMAND there as root
# (by default "./test"). How this machine reaches its package sources (apt, certificates, pip) is handed to that root
# and to nothing else. Needs root and debootstrap.
#   -k         keep the root afterwards, and use it again if it is there already (the clone is always fresh)
#   -s SUITE   Debian release (default: that of this machine)
#   -d FOLDER  where the root goes (default: /var/tmp/kairos-clean-root)
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
KEEP=
SUITE=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
TARGET=/var/tmp/kairos-clean-root
while getopts kd:s: option; do
  case $option in
    k) KEEP=1 ;;
    d) TARGET=$OPTARG ;;
    s) SUITE=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
COMMAND=${1:-./test}

[[ $EUID -eq 0 ]] || { echo "prove-clean-root: this needs root" >&2; exit 3; }
command -v debootstrap >/dev/null || { echo "prove-clean-root: apt-get install debootstrap" >&2; exit 3; }

MIRROR=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
  grep -oE '^(deb|URIs:)[[:space:]].*' | grep -oE 'https?://[^[:space:]]+' | grep -E '/debian/?$' | head -1 || true)
MIRROR=${MIRROR:-http://deb.debian.org/debian}

# The root has its own mount namespace, so whatever happens nothing stays mounted.
if [[ -z "${KAIROS_CLEAN_ROOT_INNER:-}" ]]; then
  KAIROS_CLEAN_ROOT_INNER=1 exec unshare --mount --propagation private --pid --fork --kill-child -- \
    "$0" ${KEEP:+-k} -s "$SUITE" -d "$TARGET" "$COMMAND"
fi

echo "== a bare $SUITE from $MIRROR in $TARGET" >&2
if [[ ! -e "$TARGET/etc/debian_version" ]]; then
  mkdir -p "$TARGET"
  debootstrap --variant=minbase "$SUITE" "$TARGET" "$MIRROR" >"$TARGET.log" 2>&1 ||
    { tail -20 "$TARGET.log" >&2; exit 3; }
fi

# How this machine reaches its registries, and only that.
cp -L /etc/resolv.conf /etc/hosts "$TARGET/etc/"
if [[ "$SUITE" == "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" ]]; then
  rm -f "$TARGET/etc/apt/sources.list"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    [[ ! -s $file ]] || cp "$file" "$TARGET$file"
  done
fi
grep -lsiE '^[[:space:]]*Acquire::' /etc/apt/apt.conf.d/* | xargs -r -I{} cp {} "$TARGET/etc/apt/apt.conf.d/"
mkdir -p "$TARGET/usr/local/share/ca-certificates" "$TARGET/etc/ssl/certs"
find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} "$TARGET/usr/local/share/ca-certificates/" \;
for file in /etc/pip.conf "${HOME:-/root}/.config/pip/pip.conf"; do
  [[ ! -e $file ]] || install -D "$file" "$TARGET${file/#${HOME:-\/root}/\/root}"
done
mount -t proc proc "$TARGET/proc"
mount --rbind /sys "$TARGET/sys"
mount --rbind /dev "$TARGET/dev"
mount -t tmpfs tmpfs "$TARGET/run"
mount -t tmpfs -o mode=1777 tmpfs "$TARGET/tmp"

# Folders of packages that pip is told to look in are shown to the root, read-only.
pip_folders() {
  { python3 -m pip config list 2>/dev/null || true; env | grep '^PIP_' || true; } |
    grep -oE "(file://)?/[^ ',]+" | sed -e 's|^file://||' -e 's|/simple/*$||' | sort -u
}
while read -r folder; do
  [[ -d $folder && $folder != /etc/* ]] || continue
  mkdir -p "$TARGET$folder"
  mount --bind -o ro "$folder" "$TARGET$folder"
done < <(pip_folders)

rm -rf "$TARGET/root/kairos"
git clone --quiet --no-hardlinks "$ROOT" "$TARGET/root/kairos"
echo "== $COMMAND at $(git -C "$ROOT" rev-parse --short HEAD)" >&2

inherited=()
while IFS= read -r -d '' pair; do inherited+=("$pair"); done < <(env -0 | grep -zE '^(PIP_|SSL_CERT_|https?_proxy=|HTTPS?_PROXY=|no_proxy=|NO_PROXY=)' || true)
status=0
chroot "$TARGET" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin CI=true "${inherited[@]}" \
  bash -c "cd /root/kairos && $COMMAND" </dev/null || status=$?
echo "== exit status $status" >&2
if [[ -z "$KEEP" ]]; then
  umount -R "$TARGET/proc" "$TARGET/sys" "$TARGET/dev" "$TARGET/run" "$TARGET/tmp" || true
  while read -r folder; do umount "$TARGET$folder" 2>/dev/null || true; done < <(pip_folders)
  rm -rf --one-file-system "$TARGET"
fi
exit "$status"
