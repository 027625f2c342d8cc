"""The sender opens the outbox and no other file of the data folder."""

import json
import subprocess
import sys
from pathlib import Path

from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import ROOT, Stage

WATCHED = """
import json, os, runpy, sys
folder, report = sys.argv[1], sys.argv[2]
touched = []
def audit(event, arguments):
    if event in {"open", "sqlite3.connect", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.mkdir"}:
        path = arguments[0]
        if isinstance(path, (str, bytes, os.PathLike)) and os.fsdecode(path).startswith(folder):
            touched.append(os.path.relpath(os.fsdecode(path), folder))
    if event in {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork"}:
        touched.append(event)
sys.addaudithook(audit)
sys.argv = ["send", *sys.argv[3:]]
EXTRA
try:
    runpy.run_module("participant.delivery.sender", run_name="__main__", alter_sys=True)
except SystemExit as ended:
    code = ended.code
fds = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
links = [os.readlink(name) for name in fds if os.path.islink(name)]
touched += [os.path.relpath(link, folder) for link in links if link.startswith(folder)]
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
times = os.times()
facts = {"code": code, "touched": sorted(set(touched)), "modules": sorted(sys.modules),
         "peak_mb": int(status["VmHWM"].split()[0]) / 1024, "cpu_s": times.user + times.system}
with open(report, "w") as file:
    json.dump(facts, file)
"""


def watch(person: Person, tmp_path: Path, *, extra: str = "") -> dict[str, object]:
    """Run the sender in a data folder with a journal and state; return what it touched, and what it took."""
    folder = person.path.parents[2]
    for name in ("state.db", "sessions/one/log.db", f"studies/{person.path.parent.name}/participant.key"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"nothing for the sender")
    report = tmp_path / "report.json"
    command = [sys.executable, "-c", WATCHED.replace("EXTRA", extra), str(folder), str(report), str(person.path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60)
    facts: dict[str, object] = json.loads(report.read_text())
    return facts


def test_the_sender_opens_the_outbox_alone(stage: Stage, person: Person, tmp_path: Path) -> None:
    """Of the data folder; no process is started; and the control: one look at the journal is seen."""
    person.pack(3)
    facts = watch(person, tmp_path)
    outbox = str(person.path.relative_to(person.path.parents[2]))
    assert (facts["code"], facts["touched"]) == (0, [outbox])
    assert len(stage.collected(person)) == 3
    curious = watch(person, tmp_path, extra='open(folder + "/sessions/one/log.db").close()')
    assert curious["touched"] == ["sessions/one/log.db", outbox]


def test_the_sender_is_small(stage: Stage, person: Person, tmp_path: Path) -> None:
    person.pack(20)
    facts = watch(person, tmp_path)
    assert len(stage.collected(person)) == 20
    modules = facts["modules"]
    assert isinstance(modules, list)
    loaded = {name.partition(".")[0] for name in modules}
    assert not loaded & {"daemon", "lab", "detectors", "policies", "ui", "numpy", "PySide6"}
    ours = {name for name in modules if name.partition(".")[0] in {"participant", "storage"}}
    storage = "clock db db.connection errors files translation translation.language translation.sentences"
    storage += " translation.speaking translation.wire"
    participant = (
        "documents documents.keys documents.names documents.private_files documents.signed documents.statements"
    )
    participant += " documents.topics delivery delivery.answers delivery.outbox"
    expected = {"storage", "participant"} | {f"storage.{name}" for name in storage.split()}
    assert ours == expected | {f"participant.{name}" for name in participant.split()}
    print(f"sender of 20 parcels: {facts['cpu_s']:.2f} s of CPU, {facts['peak_mb']:.1f} MB")
    assert float(str(facts["peak_mb"])) <= 40  # 32 where its modules are compiled, 36.4 where they are not
