#!/usr/bin/env bash
# Proves packaging/deb/kairos.service under a real systemd: packaging/prove-unit.sh KAIROS USER [UNIT]
#
# Starts `systemd --user` for USER by hand, with a runtime folder, a bus, cgroups and a virtual desktop of its own, in
# namespaces of its own, so that it needs no machine that was booted with systemd. Then: the unit starts KAIROS and it
# watches; its limits and hardening hold for the process; a second Kairos gives way with status 3; after a crash it is
# started again; after `kairos quit` it is not, nor where another Kairos runs already; `stop` leaves no process behind.
#   KAIROS  the command of an installation that USER may run
#   UNIT    a unit file to try; its command is replaced by KAIROS. Without it: the one that the package installed
# The home folder is a new one, and the consent in it is given by this script, not by a person. Needs root, and what
# packaging/debian-prove.txt and debian-desktop.txt list. Takes two minutes. Exit status: 0 proved, 1 a surprise, 2 wrong
# usage, 3 the environment lacks something.
set -euo pipefail

say() { printf '== %s\n' "$*" >&2; }
surprise() {
  printf 'prove-unit: SURPRISE: %s\n' "$*" >&2
  [[ ! -s ${LOG:-} ]] || tail -n 15 "$LOG" >&2
  exit 1
}

[[ $# -ge 2 && $# -le 3 ]] || { sed -n 's/^# \{0,1\}//;2,16p' "$0" >&2; exit 2; }
KAIROS=$1
WHO=$2
UNIT=${3:-}
[[ $EUID -eq 0 ]] || { echo "prove-unit: this needs root" >&2; exit 3; }
for name in Xvfb openbox dbus-daemon unshare setpriv /usr/lib/systemd/systemd systemctl; do
  command -v "$name" >/dev/null || { echo "prove-unit: $name is missing" >&2; exit 3; }
done
ID=$(id -u "$WHO")
if [[ -z "${KAIROS_PROVE_UNIT:-}" ]]; then
  # Whatever ends this script takes the processes and mounts of the proof along; of the groups only names would be left.
  export KAIROS_PROVE_UNIT=kairos-proof-$$
  status=0
  unshare --mount --propagation unchanged --cgroup --pid --fork --kill-child --mount-proc -- "$0" "$@" || status=$?
  unshare --mount --propagation unchanged -- bash -c 'mount --make-rprivate / 2>/dev/null; umount -R /sys/fs/cgroup 2>/dev/null
    mount -t cgroup2 none /sys/fs/cgroup && find "/sys/fs/cgroup/$1" -depth -type d -exec rmdir {} +' - "$KAIROS_PROVE_UNIT" || true
  exit "$status"
fi

# ---------------------------------------------------------------- a place as a user has it after logging in

[[ -z "$UNIT" ]] || UNIT_TEXT=$(<"$UNIT")
renice -n 0 -p $$ >/dev/null # whoever called this may be nice, and then nothing under it could be less so
mount --make-rprivate / 2>/dev/null || true # in a root that is no mount, whoever called this has done so
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup
GROUP=/sys/fs/cgroup/$KAIROS_PROVE_UNIT
mkdir -p "$GROUP/user" "$GROUP/rest"
chown -R "$ID" "$GROUP/user"
echo $$ >"$GROUP/rest/cgroup.procs"
CONTROLLERS=$(<"$GROUP/cgroup.controllers")
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /tmp/.X11-unix
mount -t tmpfs -o mode=1777 tmpfs /tmp/.X11-unix
trap 'rm -f /tmp/.X79-lock' EXIT
export XDG_RUNTIME_DIR=/run/user/$ID
mkdir -p /run/systemd/system "$XDG_RUNTIME_DIR" /run/home # systemd looks for the first one
chmod 700 "$XDG_RUNTIME_DIR" /run/home
chown "$ID" "$XDG_RUNTIME_DIR" /run/home
LOG=/run/systemd.log

as_user() {
  setpriv --reuid="$ID" --regid="$(id -g "$WHO")" --clear-groups --inh-caps=-all --bounding-set=-all -- \
    env -i HOME=/run/home USER="$WHO" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" DISPLAY=:79 \
    DBUS_SESSION_BUS_ADDRESS="unix:path=$XDG_RUNTIME_DIR/bus" "$@" </dev/null
}
ctl() { as_user systemctl --user "$@"; }
show() { ctl show kairos.service --value --property "$1"; }
# wait_for SECONDS WHAT COMMAND...: until the command succeeds
wait_for() {
  local seconds=$1 what=$2 tries
  shift 2
  for ((tries = 0; tries < seconds * 4; tries++)); do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.25
  done
  ctl status kairos.service --no-pager >&2 || true
  surprise "not within $seconds s: $what"
}
watches() { as_user "$KAIROS" status --json | grep -q '"state": "watching"'; }
state_is() { [[ $(show ActiveState) == "$1" ]]; }
is_new() { [[ $(show MainPID) != 0 && $(show MainPID) != "$1" ]]; }
in_group() { cat "/sys/fs/cgroup$(show ControlGroup)/cgroup.procs" 2>/dev/null; }

as_user Xvfb :79 -screen 0 1280x800x24 -nolisten tcp >/dev/null 2>&1 &
wait_for 10 "a display" test -S /tmp/.X11-unix/X79
as_user dbus-daemon --session --address="unix:path=$XDG_RUNTIME_DIR/bus" --fork --nopidfile
as_user openbox --sm-disable >/dev/null 2>&1 &
if [[ -n "$UNIT" ]]; then
  as_user mkdir -p /run/home/.config/systemd/user
  sed "s|^ExecStart=/usr/bin/kairos|ExecStart=$KAIROS|" <<<"$UNIT_TEXT" >/run/home/.config/systemd/user/kairos.service
  as_user systemd-analyze --user --man=no verify /run/home/.config/systemd/user/kairos.service >&2 || surprise "the unit is not valid"
fi
(
  echo "$BASHPID" >"$GROUP/user/cgroup.procs"
  as_user /usr/lib/systemd/systemd --user --log-target=console
) >"$LOG" 2>&1 &
wait_for 10 "systemd --user" test -S "$XDG_RUNTIME_DIR/systemd/private"
ctl set-environment DISPLAY=:79 "DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus"
as_user "$(dirname "$(readlink -f "$KAIROS")")/python" -c '
from storage.clock import SystemClock
from storage.files import private_folder, state_file
from storage.state.store import Consent, StateStore
private_folder(state_file().parent)
with StateStore(state_file()) as state:
    state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=SystemClock().wall_ns()))
' || surprise "the consent could not be stored"

# ---------------------------------------------------------------- the proof

say "$(ctl --version | head -1) for $WHO; controllers: ${CONTROLLERS:-none}"
[[ $(show UnitFileState) == disabled || -n "$UNIT" ]] || surprise "the unit is enabled by itself"
ctl start kairos.service || surprise "it does not start"
wait_for 30 "watching" watches
PID=$(show MainPID)
say "it runs as $PID and watches"

for pair in MemoryHigh=805306368 MemoryMax=1073741824 TasksMax=256 CPUWeight=50 TimeoutStopUSec=10s NoNewPrivileges=yes; do
  [[ $(show "${pair%%=*}") == "${pair#*=}" ]] || surprise "${pair%%=*} is $(show "${pair%%=*}"), not ${pair#*=}"
done
grep -q "^NoNewPrivs:[[:space:]]*1" "/proc/$PID/status" || surprise "the process may gain privileges"
grep -q "^Seccomp:[[:space:]]*2" "/proc/$PID/status" || surprise "no system call is refused to the process"
[[ $(awk '/^Max core file size/ { print $5 + 0 }' "/proc/$PID/limits") == 0 ]] || surprise "it may leave a core dump"
[[ $(ps -o ni= -p "$PID" | tr -d ' ') == 5 ]] || surprise "it is not nice"
in_group | grep -qx "$PID" || surprise "it is not in the group of the unit"
if [[ " $CONTROLLERS " == *" memory "* ]]; then
  [[ $(<"/sys/fs/cgroup$(show ControlGroup)/memory.max") == 1073741824 ]] || surprise "the kernel does not know the limit"
  say "limits and hardening hold, in the kernel too"
else
  say "limits are set and hardening holds; no memory controller here, so the kernel does not enforce the limit"
fi

status=0
as_user "$KAIROS" run >/run/second.log 2>&1 || status=$?
[[ $status == 3 ]] || { cat /run/second.log >&2; surprise "a second Kairos ended with $status"; }
watches || surprise "the first one was disturbed"
say "a second Kairos gives way with status 3"

kill -SEGV "$PID"
wait_for 40 "a new start after a crash" is_new "$PID"
wait_for 30 "watching again" watches
[[ $(show NRestarts) == 1 ]] || surprise "restarts: $(show NRestarts)"
say "after a crash it was started again, and watches"

as_user "$KAIROS" quit >/dev/null || surprise "kairos quit"
wait_for 15 "the end after kairos quit" state_is inactive
[[ $(show Result) == success ]] || surprise "the result is $(show Result)"

as_user "$KAIROS" run >/run/other.log 2>&1 &
wait_for 30 "a Kairos that was started by hand" watches
ctl start kairos.service || true
wait_for 15 "giving way" state_is failed
[[ $(show ExecMainStatus) == 3 ]] || surprise "it ended with $(show ExecMainStatus)"
sleep 18 # RestartSec and a little more
state_is failed || surprise "it was tried again although another Kairos runs"
say "where another one runs it ends with status 3 and is not tried again, nor after kairos quit"
as_user "$KAIROS" quit >/dev/null
ctl reset-failed kairos.service

ctl start kairos.service
wait_for 30 "watching" watches
group=$(show ControlGroup)
began=$EPOCHREALTIME
ctl stop kairos.service
took=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
[[ $(show Result) == success ]] || surprise "the result of stopping is $(show Result)"
[[ ! -s /sys/fs/cgroup$group/cgroup.procs ]] || surprise "processes are left: $(cat "/sys/fs/cgroup$group/cgroup.procs")"
say "stopped in $took s, and nothing is left of it"
say "proved: the unit under systemd --user"
