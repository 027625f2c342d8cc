#!/usr/bin/env bash
# Builds kairos-assistant_VERSION_ARCHITECTURE.deb of the last commit: packaging/build-deb.sh [-r REVISION] [OUT]
#
# The package brings an environment of its own in /opt/kairos, made with Debian's python3 and holding every wheel, so that
# installing it needs nothing but Debian packages. Building needs a package index, and the Debian packages of
# debian-setup.txt and debian-build.txt; it takes some minutes, 2 GB in TMPDIR, and no root. The file goes to OUT
# (default: dist), and its path to stdout.
#   -r REVISION  build this commit by the same recipe
# Times and owners in it come from the commit. DEBFULLNAME and DEBEMAIL name the maintainer.
# Exit status: 0 done, 2 wrong usage, 3 the environment lacks something.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
RECIPE=$ROOT/packaging/deb
REVISION=HEAD
while getopts r: option; do
  case $option in
    r) REVISION=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[[ $# -le 1 ]] || { echo "usage: packaging/build-deb.sh [-r REVISION] [OUT]" >&2; exit 2; }
OUT=${1:-$ROOT/dist}

say() { printf 'build-deb: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 3
}

# list_names LIST...: the names in packages lists, alternatives as "a | b", one a line.
list_names() {
  local list
  for list in "$@"; do sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$ROOT/packaging/debian-$list.txt"; done
}

# locked SET: the packages of a set with their hashes, as packaging/renew-lock wrote them for this commit.
locked() { awk -v wanted=" $1 " '/^#/ { keep = index($0 " ", wanted); next } keep' "$WORK/source/packaging/lock.txt"; }

PYTHON=/usr/bin/python3 # Debian's: the environment must work with the one that the package depends on
for tool in git dpkg-deb readelf gzip "$PYTHON"; do
  command -v "$tool" >/dev/null || fail "needs $tool: apt-get install --no-install-recommends" \
    "$(list_names setup build | paste -s -d ' ')"
done
"$PYTHON" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  fail "needs Debian's python3 (3.11 or later) and python3-venv: this is for Debian 12 and later"
COMMIT=$(git -C "$ROOT" rev-parse --verify --quiet "$REVISION^{commit}") || fail "$REVISION is no commit of $ROOT"

WORK=$(mktemp -d "${TMPDIR:-/tmp}/kairos-deb.XXXXXX")
trap 'rm -rf -- "$WORK"' EXIT
umask 022
# No cache: a wheel in it may have been compiled with another Python, whose paths it would carry.
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_NO_CACHE_DIR=1
unset PYTHONPATH PYTHONHOME
SOURCE_DATE_EPOCH=$(git -C "$ROOT" log -1 --format=%ct "$COMMIT")
export SOURCE_DATE_EPOCH

mkdir "$WORK/source"
git -C "$ROOT" archive "$COMMIT" | tar -x -C "$WORK/source"
RELEASE=$("$PYTHON" -c 'import sys, tomllib; print(tomllib.load(sys.stdin.buffer)["project"]["version"])' \
  <"$WORK/source/pyproject.toml")
# A commit that is no release sorts before it, and after the commits before.
VERSION=$RELEASE
TYPE=stable
if [[ "$(git -C "$ROOT" rev-parse --quiet --verify "v$RELEASE^{commit}" || true)" != "$COMMIT" ]]; then
  VERSION=$RELEASE~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).${COMMIT:0:8}
  TYPE=development
fi
ARCHITECTURE=$(dpkg --print-architecture)
say "version $VERSION, of commit ${COMMIT:0:8}"

# ---------------------------------------------------------------- wheels and the environment

"$PYTHON" -m venv "$WORK/tools"
TOOLS=$WORK/tools/bin/python
locked deb-tools >"$WORK/deb-tools.txt"
locked deb >"$WORK/deb.txt"
"$TOOLS" -m pip install --quiet --require-hashes --requirement "$WORK/deb-tools.txt" >&2 ||
  fail "could not load the tools (the reason stands above); a package index is needed"
say "loading and building wheels"
{ "$TOOLS" -m pip wheel --quiet --wheel-dir "$WORK/wheels" --require-hashes --requirement "$WORK/deb.txt" &&
  "$TOOLS" -m pip wheel --quiet --wheel-dir "$WORK/wheels" --no-deps --no-build-isolation "$WORK/source"; } >&2 ||
  fail "could not load or build the wheels (the reason stands above); a package index is needed"

STAGE=$WORK/stage
HOME_DIR=$STAGE/opt/kairos
INTERPRETER=$(readlink -f "$PYTHON") # /usr/bin/python3.11: the wheels are for this one alone
PYTHON_NAME=$(basename "$INTERPRETER")
mkdir -p "$STAGE/opt"
"$PYTHON" -m venv --without-pip "$HOME_DIR"
"$TOOLS" -m pip --python "$HOME_DIR/bin/python" install --quiet --no-index --no-compile --find-links "$WORK/wheels" \
  'kairos-assistant[keys]' >&2
PACKAGES=$HOME_DIR/lib/$PYTHON_NAME/site-packages
find "$HOME_DIR" -type d -name __pycache__ -prune -exec rm -rf {} +
# Of the programs only ours; what pip wrote of where it found what is of no use elsewhere.
find "$HOME_DIR/bin" -mindepth 1 ! -name 'python*' ! -name kairos -delete
sed -i '1s|.*|#!/opt/kairos/bin/python -I|' "$HOME_DIR/bin/kairos"
ln -sfn "$INTERPRETER" "$HOME_DIR/bin/$PYTHON_NAME"
ln -sfn "$PYTHON_NAME" "$HOME_DIR/bin/python3"
ln -sfn "$PYTHON_NAME" "$HOME_DIR/bin/python"
printf 'home = /usr/bin\ninclude-system-site-packages = false\nversion = %s\n' \
  "$("$PYTHON" -c 'import platform; print(platform.python_version())')" >"$HOME_DIR/pyvenv.cfg"
rm -rf "$HOME_DIR/include" "$HOME_DIR/share"
find "$PACKAGES" -path '*.dist-info/*' \( -name RECORD -o -name REQUESTED -o -name direct_url.json \) -delete
say "leaving out what is never loaded: $(du -sm "$HOME_DIR" | cut -f1) MB before"
"$PYTHON" "$RECIPE/prune.py" "$HOME_DIR"
say "and $(du -sm "$HOME_DIR" | cut -f1) MB after"

# ---------------------------------------------------------------- what the desktop and the system see

SHARE=$STAGE/usr/share
DOC=$SHARE/doc/kairos-assistant
install -d "$STAGE/usr/bin" "$DOC" "$SHARE/man/man1" "$SHARE/lintian/overrides"
ln -s /opt/kairos/bin/kairos "$STAGE/usr/bin/kairos"
install -D -m 644 "$RECIPE/kairos.desktop" "$SHARE/applications/kairos.desktop"
install -D -m 644 "$RECIPE/kairos.svg" "$SHARE/icons/hicolor/scalable/apps/kairos.svg"
install -D -m 644 "$RECIPE/kairos.service" "$STAGE/usr/lib/systemd/user/kairos.service"
install -D -m 644 "$RECIPE/kairos-input.service" "$STAGE/usr/lib/systemd/system/kairos-input.service"
install -d "$SHARE/metainfo"
METAINFO=local.kairos.Kairos.metainfo.xml
sed -e "s/@VERSION@/$VERSION/" -e "s/@TYPE@/$TYPE/" -e "s/@DATE@/$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)/" \
  "$RECIPE/$METAINFO" >"$SHARE/metainfo/$METAINFO"
if command -v appstreamcli >/dev/null; then appstreamcli validate --no-net "$SHARE/metainfo/$METAINFO" >&2; fi
if command -v desktop-file-validate >/dev/null; then
  desktop-file-validate "$SHARE/applications/kairos.desktop" >&2
fi

# The page of all commands, from the parser itself. COLUMNS: each usage on one line, which man then breaks.
COLUMNS=1000 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$WORK/tools/lib/$PYTHON_NAME/site-packages "$HOME_DIR/bin/python" \
  "$RECIPE/man_page.py" --version "$VERSION" --include "$RECIPE/man-extra" --output "$WORK/kairos.1"
gzip -9nc "$WORK/kairos.1" >"$SHARE/man/man1/kairos.1.gz"

gzip -9nc "$WORK/source/CHANGELOG.md" >"$DOC/CHANGELOG.md.gz"
MAINTAINER="${DEBFULLNAME:-Kairos maintainers} <${DEBEMAIL:-$(git -C "$ROOT" log -1 --format=%ae "$COMMIT")}>"
printf 'kairos-assistant (%s) unstable; urgency=medium\n\n  * %s\n  * %s\n\n -- %s  %s\n' "$VERSION" \
  "Commit $COMMIT." "What users notice stands in CHANGELOG.md.gz." "$MAINTAINER" \
  "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %T +0000')" | gzip -9nc >"$DOC/changelog.gz"
# The pages that README.md and messages name, in the same places as in the source.
install -m 644 "$WORK"/source/{README,ARCHITECTURE,CONTRIBUTING}.md "$DOC"
(cd "$WORK/source" && find docs detectors/models -name '*.md' -o -name '*.png') |
  while read -r page; do install -D -m 644 "$WORK/source/$page" "$DOC/$page"; done
"$PYTHON" "$RECIPE/copyright.py" "$HOME_DIR" "$WORK/source/LICENSE" >"$DOC/copyright"
install -m 644 "$RECIPE/lintian-overrides" "$SHARE/lintian/overrides/kairos-assistant"

# ---------------------------------------------------------------- the package

chmod -R u=rwX,go=rX "$STAGE"
find "$PACKAGES" -type f -exec chmod 644 {} + # nothing in there is started by its name
NEXT=${PYTHON_NAME%.*}.$((${PYTHON_NAME##*.} + 1))
DEPENDS="python3 (>= ${PYTHON_NAME#python}), python3 (<< ${NEXT#python}), libc6 (>= 2.28), hicolor-icon-theme"
DEPENDS+=$(list_names run | sed 's/^/, /' | tr -d '\n')
SUGGESTS=$(list_names desktop demo | paste -s -d , | sed 's/,/, /g')
SIZE=$(du -sk --apparent-size "$STAGE" | cut -f1)
install -d "$STAGE/DEBIAN"
for script in postinst prerm postrm; do install -m 755 "$RECIPE/$script" "$STAGE/DEBIAN/$script"; done
sed -e "s/@VERSION@/$VERSION/" -e "s/@ARCHITECTURE@/$ARCHITECTURE/" -e "s/@MAINTAINER@/$MAINTAINER/" \
  -e "s/@SIZE@/$SIZE/" -e "s/@DEPENDS@/$DEPENDS/" -e "s/@SUGGESTS@/$SUGGESTS/" "$RECIPE/control.in" \
  >"$STAGE/DEBIAN/control"
(cd "$STAGE" && find opt usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$STAGE/DEBIAN/md5sums"
find "$STAGE" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"

mkdir -p -- "$OUT"
FILE=$OUT/kairos-assistant_${VERSION}_$ARCHITECTURE.deb
say "packing"
dpkg-deb --root-owner-group -Zxz --build "$STAGE" "$FILE" >&2
say "done: $(du -m "$FILE" | cut -f1) MB, $((SIZE / 1024)) MB installed"
printf '%s\n' "$FILE"
