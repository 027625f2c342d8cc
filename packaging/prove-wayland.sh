#!/usr/bin/env bash
# Runs the tests that need GNOME Shell or KWin: packaging/prove-wayland.sh [gnome|kwin] [PYTEST ARGUMENTS]
#
# They are installed in a copy-on-write view of this machine, which keeps what it has and is left as it was. The view
# lasts (FOLDER, 1 GB), so a second run begins at once; take it away with: rm -r FOLDER. Needs root and overlayfs.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
FOLDER=${KAIROS_WAYLAND_VIEW:-/var/tmp/kairos-wayland-view}
export WHICH=${1:-gnome} ROOT FOLDER
shift || true
case $WHICH in
  gnome) PACKAGES="gnome-shell xdg-desktop-portal-gnome xdg-desktop-portal pipewire pipewire-bin wireplumber xwayland
    gsettings-desktop-schemas libglib2.0-bin adwaita-icon-theme foot" ;;
  kwin) PACKAGES="kwin-wayland xwayland foot" ;;
  *) sed -n '2s/^# //p' "$0" >&2; exit 2 ;;
esac
export PACKAGES
[[ $EUID -eq 0 ]] || { echo "prove-wayland: this needs root" >&2; exit 3; }
mkdir -p "$FOLDER"/{upper,work,view}

# Its own mount and process namespaces: whatever happens nothing stays mounted, and nothing runs on.
exec unshare --mount --propagation private --pid --fork --kill-child -- bash -euc '
  mount -t overlay overlay -o "lowerdir=/,upperdir=$FOLDER/upper,workdir=$FOLDER/work" "$FOLDER/view"
  cd "$FOLDER/view"
  mount -t proc proc proc
  mount --rbind /dev dev
  mount --rbind /sys sys # without it the shell finds no systemd, and so starts no XWayland
  mount -t tmpfs tmpfs tmp
  mount -t tmpfs tmpfs run
  mkdir -p run/lock
  printf "#!/bin/sh\nexit 101\n" >usr/sbin/policy-rc.d && chmod +x usr/sbin/policy-rc.d # no service is started
  exec chroot . /bin/bash -euc "
    command -v ${PACKAGES%% *} >/dev/null || DEBIAN_FRONTEND=noninteractive \
      apt-get install -qq -y --no-install-recommends \$PACKAGES >/dev/null
    cd \"\$ROOT\"
    where=\"tests/daemon/capture/wayland/test_on_kwin.py tests/demo/test_on_gnome_and_kwin.py\"
    [[ \$WHICH == kwin ]] || where=\"tests/daemon/capture/wayland/gnome tests/demo/test_on_gnome_and_kwin.py\"
    [[ \$WHICH == kwin ]] || TMPDIR=/tmp QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -p no:cacheprovider \
      tests/ui/desktop/test_key_portal.py # the real portal, which is here alone
    exec env -u DISPLAY -u WAYLAND_DISPLAY TMPDIR=/tmp QT_QPA_PLATFORM=xcb .venv/bin/python -m pytest -p no:cacheprovider \
      -m display \$where \"\$@\"" chroot "$@"' bash "$@"
