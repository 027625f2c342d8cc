# shellcheck shell=bash
# Sets Kairos up in ROOT/.venv; sourced by ./run and ./test, which set ROOT.
#
# Everything it does is kept in stamp files inside .venv, so a second start only compares stamps. System packages come
# from the lists beside this file; they are installed only as root, or with sudo after asking on a terminal.
# Exit status 3 everywhere: the environment lacks something, and the message says what to do.

VENV="$ROOT/.venv"
LISTS="$ROOT/packaging"
PROJECTS=("$ROOT"/{,lab/,study/}pyproject.toml "$ROOT/daemon/capture/_pixels.c" "$LISTS/lock.txt")

say() { printf 'kairos: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 3
}

is_root() { [[ $EUID -eq 0 ]]; }
on_debian() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

# --- stamps -----------------------------------------------------------------------------------------------------------

# stamp_key FILE...: what a stamp must hold to be valid: this folder (a .venv cannot be moved) and the files' content.
stamp_key() { printf '%s %s' "$ROOT" "$(cat "$@" | sha256sum)"; }

# stamped NAME KEY: whether stamp NAME holds KEY.
stamped() {
  local found
  [[ -r "$VENV/.kairos-$1" ]] && found=$(<"$VENV/.kairos-$1") && [[ "$found" == "$2" ]]
}

# One set-up at a time; the lock must not outlive set-up, or a running daemon would hold it.
lock() {
  exec 9<"$ROOT/pyproject.toml"
  command -v flock >/dev/null || return 0
  flock --nonblock 9 || { say "another set-up is running in $ROOT; waiting for it" && flock 9; }
}
unlock() { exec 9<&-; }

# --- system packages --------------------------------------------------------------------------------------------------

# list_lines LIST...: the wanted packages, one "name" or "name | other name" a line.
list_lines() {
  local list
  for list in "$@"; do
    sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$LISTS/debian-$list.txt"
  done
}

# missing_lines LIST...: the lines none of whose names is installed.
missing_lines() {
  local -A installed=()
  local status name line
  while read -r status name; do
    [[ "$status" == installed ]] && installed[$name]=1
  done < <(dpkg-query -W -f='${db:Status-Status} ${Package}\n')
  while read -r line; do
    for name in ${line//|/ }; do
      [[ -n "${installed[$name]:-}" ]] && continue 2
    done
    printf '%s\n' "$line"
  done < <(list_lines "$@")
}

# available_names < LINES: for each line the first name this release has. Only where there is a choice apt is asked, who
# reads all its lists for an answer.
available_names() {
  local line name first
  while read -r line; do
    first=${line%% *}
    [[ "$line" != *"|"* ]] || for name in ${line//|/ }; do
      if [[ -n "$(apt-cache --quiet=2 show --no-all-versions "$name" 2>/dev/null)" ]]; then
        first=$name
        break
      fi
    done
    printf '%s\n' "$first"
  done | paste -s -d ' '
}

# install_lines WHAT LINES: installs the packages of LINES, as root or with sudo after asking.
install_lines() {
  local what=$1 lines=$2 names answer log
  local -a as_root=()
  names=$(available_names <<<"$lines")
  if ! is_root; then
    if [[ ! -t 0 || ! -t 2 ]] || ! command -v sudo >/dev/null; then
      fail "$what needs system packages that are not installed. Run this once, then start again:
  sudo apt-get install --no-install-recommends $names"
    fi
    say "$what needs these system packages:"
    printf '  %s\n' "$names" >&2
    read -r -p "kairos: install them now with sudo? [y/N] " answer
    [[ "$answer" == [yY]* ]] || fail "nothing was installed. To do it yourself:
  sudo apt-get install --no-install-recommends $names"
    as_root=(sudo)
  fi
  say "installing system packages for $what (takes a minute or two)"
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0)
  # Where nobody loses a machine with the power, dpkg need not wait for the disk after each package.
  [[ -z "${CI:-}" ]] || as_root+=(-o Dpkg::Options::=--force-unsafe-io -o Acquire::Languages=none)
  log=$(mktemp)
  if [[ -z "${LISTS_FETCHED:-}" ]]; then
    "${as_root[@]}" update </dev/null >"$log" 2>&1 || true # one dead third-party source must not stop us; install tells
    LISTS_FETCHED=1
  fi
  names=$(available_names <<<"$lines")
  # shellcheck disable=SC2086  # names are separate words
  if ! "${as_root[@]}" install --yes --no-install-recommends $names </dev/null >>"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    fail "could not install the system packages for $what (the reason stands above). If this machine is offline,
connect it and start again; or install them yourself:
  apt-get install --no-install-recommends $names"
  fi
  rm -f "$log"
}

# need_packages WHAT LIST...: makes sure the packages of the lists are there.
need_packages() {
  local what=$1 lines
  shift
  if [[ $# -eq 0 ]]; then
    return
  elif [[ -n "${KAIROS_SKIP_PACKAGES:-}" ]]; then
    say "KAIROS_SKIP_PACKAGES is set: the system packages for $what are not looked at"
  elif on_debian; then
    lines=$(missing_lines "$@")
    [[ -z "$lines" ]] || install_lines "$what" "$lines"
  else
    say "this is not a Debian-like system, so its packages are yours to install. For $what Debian has these:"
    list_lines "$@" | sed 's/ |.*//' | paste -s -d ' ' | fold -s -w 110 | sed 's/^/  /' >&2
  fi
}

# offer_packages WHAT LIST: installs the packages of a list that Kairos also does without; asks once, whatever the answer.
offer_packages() {
  local key
  key=$(stamp_key "$LISTS/debian-$2.txt")
  stamped "offered-$2" "$key" && return
  (need_packages "$@") || say "going on without $1"
  printf '%s' "$key" >"$VENV/.kairos-offered-$2"
}

# --- Python -----------------------------------------------------------------------------------------------------------

# find_python: prints the first Python that is new enough.
find_python() {
  local name
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  return 1
}

# makes_environments PYTHON: whether it can make .venv and fetch packages into it; all of them are published as wheels.
makes_environments() {
  "$1" -c 'import ensurepip, venv' 2>/dev/null && { ! on_debian || [[ -e /etc/ssl/certs/ca-certificates.crt ]]; }
}

# locked SET: the packages of a set with their hashes, as packaging/renew-lock wrote them.
locked() { awk -v wanted=" $1 " '/^#/ { keep = index($0 " ", wanted); next } keep' "$LISTS/lock.txt"; }

# need_python WHICH: makes .venv hold Kairos (editable): the product alone (""), with what makes its pages ("docs"), with the
# distribution "lab" or "study", or everything and the tools of the tests ("dev").
need_python() {
  local which=$1 key python held lock
  local -a pip=("$VENV/bin/python" -m pip install --quiet --no-input --no-compile --disable-pip-version-check)
  local -a wanted=("$ROOT") holds=("" "$which")
  case $which in
    "") ;;
    docs) ;;
    lab | study) wanted+=("$ROOT/$which") ;;
    dev) wanted+=("$ROOT/lab" "$ROOT/study") holds+=(lab study) ;;
    *) fail "set-up knows nothing called $which" ;;
  esac
  key=$(stamp_key "${PROJECTS[@]}")
  stamped "python-$which" "$key" && return
  python=$(find_python) || fail "no Python 3.11 or newer was found. Debian 12, Ubuntu 24.04 and later have one."
  makes_environments "$python" || fail "$python cannot set Kairos up: it needs its venv module."
  if ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1 || ! stamped root "$ROOT"; then
    say "creating .venv with $python"
    "$python" -m venv --clear "$VENV" || fail "could not create $VENV (the reason stands above)."
    printf '%s' "$ROOT" >"$VENV/.kairos-root"
  fi
  say "installing Kairos and its Python packages into .venv (the first time about 200 MB are fetched)"
  lock=$(mktemp)
  locked "${which:-product}" >"$lock"
  # What is fetched is what was looked at when the lock was written; our own folders are then linked, and fetch nothing.
  if ! { "${pip[@]}" --require-hashes --requirement "$lock" &&
    PYTHONWARNINGS=ignore "${pip[@]}" --no-deps --no-build-isolation "${wanted[@]/#/--editable=}"; } </dev/null >&2; then
    rm -f "$lock"
    fail "could not install the Python packages (the reason stands above). Set-up needs a package index once: pypi.org,
or the one your pip configuration names. If this machine is offline, connect it and start again; nothing is lost."
  fi
  rm -f "$lock"
  for held in "${holds[@]}"; do printf '%s' "$key" >"$VENV/.kairos-python-$held"; done
}

# --- all of it --------------------------------------------------------------------------------------------------------

# set_up WHAT WHICH LIST...: everything WHAT needs: .venv with these distributions, and the packages of the lists.
set_up() {
  local what=$1 which=$2 name key list python python_set_up failed=0
  shift 2
  local -a files=("${PROJECTS[@]}")
  for list in "$@"; do files+=("$LISTS/debian-$list.txt"); done
  name=$(IFS=-; echo "all-$which-$*")
  key=$(stamp_key "${files[@]}")
  stamped "$name" "$key" && return
  lock
  if ! stamped "$name" "$key"; then # another set-up may have done it while this one waited
    if ! { python=$(find_python) && makes_environments "$python"; }; then
      # Whoever is asked for leave is asked once, for all of it.
      if is_root; then need_packages "$what" setup; else need_packages "$what" setup "$@"; fi
    fi
    # Most of the time goes into fetching, and neither of the two needs the other.
    need_python "$which" &
    python_set_up=$!
    (need_packages "$what" "$@") || failed=$?
    wait "$python_set_up" || failed=$?
    [[ "$failed" == 0 ]] || exit "$failed"
    printf '%s' "$key" >"$VENV/.kairos-$name"
  fi
  unlock
}
