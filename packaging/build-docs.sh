#!/usr/bin/env bash
# Builds the documentation as pages: packaging/build-docs.sh [FOLDER]
#
# Into build/docs unless another folder is given; begin reading at docs/index.html there. Sets up .venv with the extra
# "docs" first. A broken link, a missing anchor or picture, or a page that no list of contents has, is an error. The
# pages fetch nothing: they and their search work from a folder, without a server or a network.
set -euo pipefail

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=packaging/setup.sh
source "$ROOT/packaging/setup.sh"

OUT=$(realpath -m -- "${1:-$ROOT/build/docs}")
set_up "the pages" docs
cd -- "$ROOT"
"$VENV/bin/python" -m sphinx --quiet --fail-on-warning --keep-going --fresh-env --nitpicky \
  --conf-dir docs --doctree-dir "$ROOT/build/doctrees" . "$OUT"
printf 'The pages begin at %s\n' "$OUT/docs/index.html"
