#!/usr/bin/env bash
# Proves `pipx install` of the wheel: packaging/prove-pipx.sh [-k] [-w WHEEL] [-p PYTHON] [-d FOLDER]
#
# Builds the wheel of the last commit, installs it with pipx into folders of its own, and tries what came of it: the
# version, that `kairos doctor` knows the way it was installed and what upgrades and removes it, that all of its modules
# and data are there, the service of packaging/deb/kairos.service under a real `systemd --user` (as root alone, as the
# user nobody; see prove-unit.sh), installing over it, and that removing it leaves nothing.
#   -w WHEEL   take this wheel instead of building one
#   -p PYTHON  the Python to install into (default: /usr/bin/python3)
#   -d FOLDER  where all of it goes (default: a new folder in /var/tmp, which other users can read); removed in the end
#   -k         keep the folder
# Needs python3-venv, and pipx or a package index that has it. Takes two minutes. Exit status: 0 proved, 1 a surprise, 2
# wrong usage, 3 the environment lacks something.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
PYTHON=/usr/bin/python3
WHEEL=
FOLDER=
KEEP=
while getopts kw:p:d: option; do
  case $option in
    k) KEEP=1 ;;
    w) WHEEL=$(readlink -f "$OPTARG") ;;
    p) PYTHON=$OPTARG ;;
    d) FOLDER=$OPTARG ;;
    *) exit 2 ;;
  esac
done

say() { printf '== %s\n' "$*" >&2; }
fail() {
  printf 'prove-pipx: %s\n' "$*" >&2
  exit 3
}
surprise() {
  printf 'prove-pipx: SURPRISE: %s\n' "$*" >&2
  exit 1
}

# Not in /tmp, which may be small or in memory: the environment takes a gigabyte.
[[ -n "$FOLDER" ]] || FOLDER=$(mktemp -d /var/tmp/kairos-pipx-XXXXXX)
mkdir -p "$FOLDER"
[[ -z "$(ls -A "$FOLDER")" ]] || fail "$FOLDER is not empty"
chmod 755 "$FOLDER"
[[ -n "$KEEP" ]] || trap 'rm -rf --one-file-system "$FOLDER"' EXIT
umask 022 # what is installed is for other users to read, too

export PIPX_HOME=$FOLDER/home PIPX_BIN_DIR=$FOLDER/bin PIPX_MAN_DIR=$FOLDER/man
"$PYTHON" -m venv "$FOLDER/tools" >&2 || fail "apt-get install python3-venv"
PIPX=$(command -v pipx || true)
if [[ -z "$PIPX" ]]; then
  "$FOLDER/tools/bin/pip" --quiet --disable-pip-version-check install pipx >&2 || fail "apt-get install pipx"
  PIPX=$FOLDER/tools/bin/pipx
fi
if [[ -z "$WHEEL" ]]; then
  mkdir "$FOLDER/source"
  git -C "$ROOT" archive HEAD | tar -x -C "$FOLDER/source"
  "$FOLDER/tools/bin/pip" --quiet --disable-pip-version-check wheel --no-deps -w "$FOLDER" "$FOLDER/source" >&2 ||
    fail "the wheel could not be built"
  WHEEL=$(echo "$FOLDER"/*.whl)
fi
say "$(basename "$WHEEL"), $(du -k "$WHEEL" | cut -f1) kB, with $("$PIPX" --version) as pipx"

KAIROS=$PIPX_BIN_DIR/kairos
kairos() { env -i HOME="$FOLDER/person" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$KAIROS" "$@"; }
install_it() { "$PIPX" install --python "$PYTHON" "$@" >"$FOLDER/install.log" 2>&1 || { cat "$FOLDER/install.log" >&2; surprise "pipx install"; }; }

mkdir "$FOLDER/person"
install_it "$WHEEL"
[[ "$(kairos --version)" == "kairos $(basename "$WHEEL" | cut -d- -f2)" ]] || surprise "the version is $(kairos --version)"
kairos doctor --json >"$FOLDER/doctor.json" || true # without a display it finds one thing missing
grep -q '"way": "pipx"' "$FOLDER/doctor.json" || surprise "kairos doctor does not know how it was installed"
{ kairos doctor || true; } | grep -A2 '^ok    installation' | sed 's/^/   /' >&2
env -i HOME="$FOLDER/person" PATH=/usr/bin:/bin QT_QPA_PLATFORM=offscreen \
  "$(dirname "$(readlink -f "$KAIROS")")/python" -I "$ROOT/packaging/deb/import_all.py" >&2 || surprise "something is missing in the wheel"
say "installed; doctor says pipx, and every module is there"

if [[ $EUID -eq 0 ]]; then
  "$ROOT/packaging/prove-unit.sh" "$KAIROS" nobody "$ROOT/packaging/deb/kairos.service" || surprise "the service"
else
  say "the service was not tried: that needs root"
fi

install_it --force "$WHEEL"
kairos --version >/dev/null || surprise "installing over it broke it"
"$PIPX" uninstall kairos-assistant >/dev/null 2>&1 || surprise "pipx uninstall"
# pipx keeps its own locks
left=$(find "$PIPX_BIN_DIR" "$PIPX_HOME/venvs" "$PIPX_MAN_DIR" -mindepth 1 ! -type d ! -name '.*.lock' 2>/dev/null || true)
[[ -z "$left" ]] || surprise "left: $left"
say "removed, and nothing of it is left outside of home folders"
say "proved: pipx"
