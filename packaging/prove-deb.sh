#!/usr/bin/env bash
# Proves the Debian package in a bare Debian root: packaging/prove-deb.sh [-k] [-d FOLDER] [-r REVISION] [-o DEB] [-n DEB]
#
# Builds the package of an earlier commit and that of the last commit in one root, by the same recipe, with nothing but
# the documented needs. In another root: the earlier one is installed without a network, started on a virtual desktop,
# agreed to, it offers help and is told never to do so again. The new one over it asks for consent again, and until then is
# silent and stores nothing; nothing else is owed to what was before the first release. Agreed to, it offers help and is
# told never to do so again; installed over itself everything is still there and readable; the demo; removed while it runs,
# installed again, forgotten, purged. Then both lists of all files must agree, and what is left in the home folder must be
# what was told. The comparison is shown to find a planted file. Needs root and debootstrap.
#   -k           keep the roots afterwards, and use them again if they are there already
#   -d FOLDER    where the roots go (default: /var/tmp/kairos-deb-roots); removed in the end, also after a kill
#   -r REVISION  the earlier commit (default: the first with what today's recipe reads)
#   -o DEB, -n DEB  take these packages for the earlier and the new one, instead of building them
# Takes about 15 minutes and 6 GB. Exit status: 0 proved, 1 a surprise, 2 wrong usage, 3 the environment lacks something.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
KEEP=
FOLDER=/var/tmp/kairos-deb-roots
EARLIER=1c0b5876cd3315afd64989ffcff9ba6729d2b422
OLD_DEB=
NEW_DEB=
while getopts kd:r:o:n: option; do
  case $option in
    k) KEEP=1 ;;
    d) FOLDER=$OPTARG ;;
    r) EARLIER=$OPTARG ;;
    o) OLD_DEB=$(readlink -f "$OPTARG") ;;
    n) NEW_DEB=$(readlink -f "$OPTARG") ;;
    *) exit 2 ;;
  esac
done

say() { printf '== %s\n' "$*" >&2; }
fail() {
  printf 'prove-deb: %s\n' "$*" >&2
  exit 3
}
surprise() {
  printf 'prove-deb: SURPRISE: %s\n' "$*" >&2
  exit 1
}

# ---------------------------------------------------------------- this machine: a namespace of mounts and processes

if [[ -z "${KAIROS_PROVE_STAGE:-}" ]]; then
  [[ $EUID -eq 0 ]] || fail "this needs root"
  command -v debootstrap >/dev/null || fail "apt-get install debootstrap"
  mkdir -p "$FOLDER"
  exec 8<"$FOLDER"
  flock --nonblock 8 || fail "another one uses $FOLDER"
  # Whatever ends this script, a kill included, takes what it started along, and mounts with it: unshare dies with its
  # parent, and the first process of the namespace with unshare. What lies in the folder is removed by a process apart.
  if [[ -z "$KEEP" ]]; then
    setsid bash -c 'tail --pid="$1" -f /dev/null; for _ in 1 2 3 4 5; do rm -rf --one-file-system "$2" && exit; sleep 1
      done' cleaner $$ "$FOLDER" 8<&- </dev/null >/dev/null 2>&1 &
  fi
  status=0
  KAIROS_PROVE_STAGE=roots setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child -- \
    "$0" ${KEEP:+-k} -d "$FOLDER" -r "$EARLIER" ${OLD_DEB:+-o "$OLD_DEB"} ${NEW_DEB:+-n "$NEW_DEB"} 8<&- || status=$?
  say "exit status $status"
  exit "$status"
fi

BASE=$FOLDER/base
BUILD=$FOLDER/build
RUN=$FOLDER/run
PACKAGES=$FOLDER/packages
SUITE=bookworm

in_root() {
  local root=$1
  shift
  chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive "${INHERITED[@]}" "$@" </dev/null
}
INHERITED=()
while IFS= read -r -d '' pair; do INHERITED+=("$pair"); done < <(
  env -0 | grep -zE '^(PIP_|SSL_CERT_|https?_proxy=|HTTPS?_PROXY=|no_proxy=|NO_PROXY=)' || true
)
# list_names LIST...: for each line of packages lists the first name.
list_names() {
  local list
  for list in "$@"; do sed -e 's/#.*//' -e 's/|.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$ROOT/packaging/debian-$list.txt"; done
}
mount_system() {
  mount -t proc proc "$1/proc"
  mount --rbind /sys "$1/sys"
  mount --rbind /dev "$1/dev"
  mount -t tmpfs tmpfs "$1/run"
  mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
}
install_in() {
  local root=$1
  shift
  in_root "$root" apt-get -qq update >/dev/null
  in_root "$root" apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@" >"$FOLDER/apt.log" 2>&1 ||
    { tail -n 15 "$FOLDER/apt.log" >&2; fail "could not install packages in $root"; }
}

# ---------------------------------------------------------------- the roots, with a network

make_base() {
  local mirror file
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
    grep -oE '^(deb|URIs:)[[:space:]].*' | grep -oE 'https?://[^[:space:]]+' | grep -E '/debian/?$' | head -1 || true)
  debootstrap --variant=minbase "$SUITE" "$BASE.new" "${mirror:-http://deb.debian.org/debian}" >"$FOLDER/debootstrap.log" 2>&1 ||
    { tail -n 15 "$FOLDER/debootstrap.log" >&2; fail "debootstrap failed"; }
  # How this machine reaches its registries, and only that.
  cp -L /etc/resolv.conf /etc/hosts "$BASE.new/etc/"
  grep -lsiE '^[[:space:]]*Acquire::' /etc/apt/apt.conf.d/* | xargs -r -I{} cp {} "$BASE.new/etc/apt/apt.conf.d/"
  mkdir -p "$BASE.new/usr/local/share/ca-certificates" "$BASE.new/etc/ssl/certs"
  cp -L /etc/ssl/certs/ca-certificates.crt "$BASE.new/etc/ssl/certs/" 2>/dev/null || true
  find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} "$BASE.new/usr/local/share/ca-certificates/" \;
  for file in /etc/pip.conf "${HOME:-/root}/.config/pip/pip.conf"; do
    [[ ! -e $file ]] || install -D "$file" "$BASE.new${file/#${HOME:-\/root}/\/root}"
  done
  mv "$BASE.new" "$BASE"
}

# Folders of packages that pip is told to look in are shown to the building root, read-only.
show_pip_folders() {
  local folder
  { python3 -m pip config list 2>/dev/null || true; env | grep '^PIP_' || true; } |
    grep -oE "(file://)?/[^ ',]+" | sed -e 's|^file://||' -e 's|/simple/*$||' | sort -u |
    while read -r folder; do
      [[ -d $folder && $folder != /etc/* ]] || continue
      mkdir -p "$1$folder"
      mount --bind -o ro "$folder" "$1$folder"
    done
}

if [[ $KAIROS_PROVE_STAGE == roots ]]; then
  mkdir -p "$PACKAGES"
  [[ -e $BASE ]] || { say "a bare $SUITE in $BASE" && make_base; }
  [[ -z "$OLD_DEB" ]] || cp "$OLD_DEB" "$PACKAGES/old.deb"
  [[ -z "$NEW_DEB" ]] || cp "$NEW_DEB" "$PACKAGES/new.deb"
  if [[ -z "$OLD_DEB" || -z "$NEW_DEB" ]]; then
    [[ -e $BUILD ]] || cp -a --reflink=auto "$BASE" "$BUILD"
    mount_system "$BUILD"
    show_pip_folders "$BUILD"
    say "building, with the documented needs alone"
    mapfile -t names < <(list_names setup build)
    install_in "$BUILD" "${names[@]}"
    rm -rf "$BUILD/root/kairos"
    git clone --quiet --no-hardlinks "$ROOT" "$BUILD/root/kairos"
    [[ -n "$OLD_DEB" ]] ||
      mv "$BUILD$(in_root "$BUILD" /root/kairos/packaging/build-deb.sh -r "$EARLIER" /root/out)" "$PACKAGES/old.deb"
    [[ -n "$NEW_DEB" ]] ||
      mv "$BUILD$(in_root "$BUILD" /root/kairos/packaging/build-deb.sh /root/out)" "$PACKAGES/new.deb"
  fi

  rm -rf --one-file-system "$RUN.new"
  if [[ ! -e $RUN ]]; then
    cp -a --reflink=auto "$BASE" "$RUN.new"
    mount_system "$RUN.new"
    say "a root with a virtual desktop and the declared dependencies"
    mapfile -t names < <(list_names desktop prove)
    install_in "$RUN.new" "${names[@]}"
    for package in old new; do
      in_root "$RUN.new" apt-get -qq -y satisfy --no-install-recommends \
        "$(dpkg-deb --field "$PACKAGES/$package.deb" Depends)" >"$FOLDER/apt.log" 2>&1 ||
        { tail -n 15 "$FOLDER/apt.log" >&2; fail "could not install the dependencies of $package.deb"; }
    done
    in_root "$RUN.new" useradd --create-home --shell /bin/bash tester
    umount -R "$RUN.new"/{proc,sys,dev,run,tmp}
    mv "$RUN.new" "$RUN"
  fi
  # Each proof begins with the same root.
  rm -rf --one-file-system "$FOLDER/now"
  cp -a --reflink=auto "$RUN" "$FOLDER/now"
  KAIROS_PROVE_STAGE=offline exec unshare --net -- "$0" ${KEEP:+-k} -d "$FOLDER" -r "$EARLIER"
fi

# ---------------------------------------------------------------- the proof, without a network

NOW=$FOLDER/now
SHOTS=$NOW/tmp/shots
INHERITED=()
mount_system "$NOW"
mkdir -p "$SHOTS" "$NOW/run/user/1000" "$NOW/tmp/.X11-unix"
chmod 1777 "$NOW/tmp/.X11-unix" "$SHOTS"
trap 'mkdir -p "$FOLDER/shots" && cp -r "$SHOTS/." "$FOLDER/shots/"' EXIT # what was seen, also of a failure
cp "$PACKAGES"/*.deb "$ROOT"/packaging/deb/*.py "$NOW/tmp/"
in_root "$NOW" chown tester: /run/user/1000
chmod 700 "$NOW/run/user/1000"
! in_root "$NOW" bash -c 'exec 3<>/dev/tcp/1.1.1.1/53' 2>/dev/null || surprise "there is a network"

as_user() {
  in_root "$NOW" setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/home/tester USER=tester DISPLAY=:77 \
    XDG_RUNTIME_DIR=/run/user/1000 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus \
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 bash -c "cd && $*"
}
# list_files: every path with its kind, owner, mode, and content or target; not the books that apt, dpkg, ldconfig and man
# keep of themselves, nor home folders, which are compared apart.
list_files() {
  in_root "$NOW" find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /home \
    -o -path /root -o -path /var/log -o -path /var/lib/apt -o -path /var/cache -o -path /var/lib/systemd \
    -o -path /etc/ld.so.cache -o -path '/var/lib/dpkg/status*' -o -path '/var/lib/dpkg/available*' \
    -o -path '/var/lib/dpkg/lock*' -o -path /var/lib/dpkg/triggers \) -prune -o -printf '%y %m %u %g %p %l\n' | sort >"$1"
  in_root "$NOW" find /etc /opt /usr /var/lib -xdev -type f ! -path '/var/lib/apt/*' ! -path '/var/lib/systemd/*' \
    ! -path /etc/ld.so.cache ! -path '/var/lib/dpkg/*' -print0 |
    (cd "$NOW" && sed -z 's|^/||' | xargs -0 sha256sum) | sort -k 2 >>"$1"
}
install_offline() { # without a network, and timed
  local began=$EPOCHREALTIME
  in_root "$NOW" apt-get -q -y -o Dpkg::Use-Pty=0 --no-install-recommends --reinstall install "$1" >"$FOLDER/install.log" 2>&1 ||
    { tail -n 20 "$FOLDER/install.log" >&2; surprise "$1 cannot be installed without a network"; }
  grep '^kairos-assistant:' "$FOLDER/install.log" >&2 || true
  awk -v a="$began" -v b="$EPOCHREALTIME" -v what="$1" 'BEGIN { printf "   %s installed in %.1f s\n", what, b - a }' >&2
}
kairos_runs() { in_root "$NOW" pgrep -f '^/opt/kairos/bin/python' >/dev/null; }

run_lintian() {
  say "Lintian"
  in_root "$NOW" lintian --allow-root --show-overrides --tag-display-limit 0 /tmp/new.deb >"$FOLDER/lintian.txt" 2>&1 || true
  awk '/^O:/ { n[$3]++ } END { for (t in n) printf "   overridden: %s, %d times\n", t, n[t] }' "$FOLDER/lintian.txt" >&2
  grep -q '^O:' "$FOLDER/lintian.txt" || { tail -n 5 "$FOLDER/lintian.txt" >&2; fail "Lintian did not work"; }
  ! grep -E '^[EW]:' "$FOLDER/lintian.txt" >&2 || surprise "Lintian complains"
}
[[ -n "${KAIROS_PROVE_NO_LINTIAN:-}" ]] || run_lintian # it takes minutes: for who works on what comes after

list_files "$FOLDER/before.txt"
say "the earlier package: $(dpkg-deb --field "$PACKAGES/old.deb" Version)"
install_offline /tmp/old.deb

say "a desktop"
in_root "$NOW" setpriv --reuid=1000 --regid=1000 --clear-groups Xvfb :77 -screen 0 1600x1000x24 -nolisten tcp \
  >/dev/null 2>&1 &
for _ in {1..100}; do
  [[ ! -S $NOW/tmp/.X11-unix/X77 ]] || break
  sleep 0.1
done
as_user 'dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --fork --nopidfile >/dev/null 2>&1'
as_user 'openbox --sm-disable >/dev/null 2>&1 & sleep 1'

say "consent, an offer, a mute"
as_user 'python3 /tmp/prove_session.py before /tmp/shots 2>/tmp/shots/before.log' >&2 ||
  { tail -n 15 "$SHOTS/before.log" >&2; surprise "the earlier package did not do its work"; }

say "over it $(dpkg-deb --field "$PACKAGES/new.deb" Version)"
install_offline /tmp/new.deb
as_user 'python3 /tmp/prove_session.py silent /tmp/shots 2>/tmp/shots/silent.log' >&2 ||
  { tail -n 15 "$SHOTS/silent.log" >&2; surprise "it does not wait for a new consent"; }
as_user 'rm -rf ~/.local/state/kairos ~/.config/kairos ~/.cache/kairos'
as_user 'python3 /tmp/prove_session.py before /tmp/shots 2>/tmp/shots/before.log' >&2 ||
  { tail -n 15 "$SHOTS/before.log" >&2; surprise "the new package did not do its work"; }

say "installed over itself"
install_offline /tmp/new.deb
as_user 'kairos autostart on' >&2 || surprise "kairos autostart"
as_user 'python3 /tmp/prove_session.py after /tmp/shots 2>/tmp/shots/after.log' >&2 ||
  { tail -n 15 "$SHOTS/after.log" >&2; surprise "it lost something"; }

say "asked, shown a page, forgotten"
as_user 'python3 /tmp/prove_session.py forget /tmp/shots 2>/tmp/shots/forget.log' >&2 ||
  { tail -n 15 "$SHOTS/forget.log" >&2; surprise "the way from the card to forgetting"; }

say "the parts"
as_user 'systemd-analyze --user verify /usr/lib/systemd/user/kairos.service' >&2 || surprise "the systemd unit"
as_user 'test ! -e ~/.config/systemd' || surprise "the unit was enabled by itself"
cp "$ROOT/packaging/prove-unit.sh" "$NOW/tmp/"
in_root "$NOW" /tmp/prove-unit.sh /usr/bin/kairos tester || surprise "the unit under systemd --user"
as_user 'kairos doctor --json' >"$FOLDER/doctor.json" || surprise "kairos doctor finds something missing"
grep -q '"way": "deb"' "$FOLDER/doctor.json" || surprise "kairos doctor does not know how it was installed"
as_user 'kairos doctor' | grep -A3 '^ok    installation' | sed 's/^/   /' >&2
for page in $(grep -oE '\]\((docs|detectors)/[^)#]+' "$ROOT/README.md" | cut -c3- | sort -u); do
  [[ -s $NOW/usr/share/doc/kairos-assistant/$page ]] || surprise "README.md names $page, which is not installed"
done
[[ -z "$(as_user 'man --warnings -Tutf8 kairos 2>&1 >/dev/null')" ]] || surprise "man warns about kairos(1)"
in_root "$NOW" lexgrog /usr/share/man/man1/kairos.1.gz >&2 || surprise "whatis cannot read kairos(1)"
in_root "$NOW" desktop-file-validate /usr/share/applications/kairos.desktop || surprise "the menu entry"
as_user 'QT_QPA_PLATFORM=offscreen /opt/kairos/bin/python -I /tmp/import_all.py' >&2 ||
  surprise "something was left out that is needed"
# Of Qt's plugins some are linked to what only such a desktop has, which then loads them.
unresolved=$(in_root "$NOW" bash -c 'find /opt/kairos -name "*.so*" -type f ! -name "libqgtk3.so" ! -name "libqwayland*" \
  ! -path "*/wayland-*" ! -name "libQt6Wayland*" ! -name "libQt6WlShell*" | while read -r file; do
    ldd "$file" 2>/dev/null | grep "not found" | sed "s|^|$file|"; done')
[[ -z "$unresolved" ]] || surprise "libraries that nothing brings: $unresolved"

say "the demo"
kairos_runs || surprise "Kairos does not run"
as_user 'kairos demo --app mousepad --out /tmp/shots/demo 2>/dev/null' | sed 's/^/   /' >&2 || surprise "the demo"

say "removed while it runs"
kairos_runs || surprise "Kairos does not run"
in_root "$NOW" apt-get -q -y -o Dpkg::Use-Pty=0 remove kairos-assistant 2>&1 | grep -A8 '^kairos-assistant:' >&2
! kairos_runs || surprise "Kairos goes on after its removal"
[[ ! -e $NOW/opt/kairos ]] || surprise "left: $(in_root "$NOW" find /opt/kairos | head -5)"
as_user 'test -s ~/.local/state/kairos/state.db' || surprise "removal reached into the home folder"

say "installed again, forgotten, purged"
install_offline /tmp/new.deb
as_user 'kairos sessions list' | sed 's/^/   /' >&2
as_user 'kairos forget --all --yes' | sed 's/^/   /' >&2
[[ -z "$(as_user 'ls ~/.local/state/kairos/sessions 2>/dev/null')" ]] || surprise "sessions are left after purge --all"
in_root "$NOW" apt-get -q -y -o Dpkg::Use-Pty=0 purge kairos-assistant >"$FOLDER/install.log" 2>&1
list_files "$FOLDER/after.txt"
if ! diff "$FOLDER/before.txt" "$FOLDER/after.txt" >"$FOLDER/left.txt"; then
  cat "$FOLDER/left.txt" >&2
  surprise "purging left something, or took it"
fi
say "nothing is left outside of home folders ($(wc -l <"$FOLDER/before.txt") lines compared). In the home folder:"
as_user 'find . -mindepth 1 -type f' | sort | tee "$FOLDER/home.txt" | sed 's/^/   /' >&2
# What was told, and what the shell, Mousepad, GTK and fontconfig keep of themselves.
strange=$(grep -vE '^\./(\.local/state/kairos/|\.config/kairos/|\.cache/kairos/|\.config/autostart/kairos\.desktop$)' "$FOLDER/home.txt" |
  grep -vE '^\./(\.bash|\.profile|\.config/(Mousepad|dconf|xfce4|gtk-3\.0|openbox)/|\.local/share/(Mousepad/|recently-used)|\.cache/(fontconfig|mesa_shader_cache|dconf|openbox))' || true)
[[ -z "$strange" ]] || surprise "left in the home folder, and nobody told: $strange"

say "control: a planted file is found"
mkdir -p "$NOW/opt/kairos" && touch "$NOW/opt/kairos/planted"
list_files "$FOLDER/after.txt"
{ diff "$FOLDER/before.txt" "$FOLDER/after.txt" || true; } | grep -c '/opt/kairos/planted' >/dev/null || surprise "the comparison finds nothing"
say "proved: $(basename "$PACKAGES")/new.deb, $(du -m "$PACKAGES/new.deb" | cut -f1) MB"
