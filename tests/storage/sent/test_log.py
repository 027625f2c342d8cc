"""The sent log: what left can be shown byte for byte, pictures are kept once, and what is forgotten is gone."""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.errors import BadFile, EnvironmentFault
from storage.sent.log import Cost, SentLog, SentPicture, open_existing_sent_log
from storage.sent.reader import SentLogReader
from tests.fakes.mllm.sent_requests import SESSION, picture, request, whole
from tests.fakes.sessions.rows import count_orphans


def body(log: SentLog, number: int) -> bytes:
    return b"".join(SentLogReader(log).body(number))


def count(log: SentLog, table: str) -> int:
    return int(log.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608  # a name of ours


def test_a_request_can_be_shown_byte_for_byte_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "data" / "sent.db"
    asked = request(picture(1), picture(2), picture(1), at_ns=77)
    with SentLog(path) as log:
        number = log.begin(asked)
        log.end(number, "ok", 99, Cost(tokens_in=5, tokens_out=2, cached=1, dollars=0.25))
    with SentLog(path) as log:
        assert body(log, number) == whole(list(asked.parts))
        (entry,) = SentLogReader(log).newest(10)
        assert (entry.number, entry.at_wall_ns, entry.ended_wall_ns, entry.outcome) == (number, 77, 99, "ok")
        assert (entry.endpoint, entry.address, entry.model) == ("openai", "https://models.example/v1", "big")
        assert (entry.session, entry.pictures, entry.headers) == (SESSION, 3, {"X-Version": "1"})
        assert (entry.tokens_in, entry.tokens_out, entry.cached, entry.dollars) == (5, 2, 1, 0.25)
        assert entry.size == len(whole(list(asked.parts)))
        assert SentLogReader(log).find_problem(number) is None
    assert [found.name for found in path.parent.iterdir()] == ["sent.db"]
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_pictures_are_stored_once_and_deleted_with_the_last_request_that_holds_them(tmp_path: Path) -> None:
    frames = [picture(seed, 30_000) for seed in range(8)]
    with SentLog(tmp_path / "sent.db") as log:
        numbers = [log.begin(request(*frames[: 2 * n])) for n in (1, 2, 3, 4)]
        assert count(log, "pictures") == 8
        assert log.file_bytes() < 1.3 * 8 * 30_000
        assert log.forget(numbers[3])
        assert count(log, "pictures") == 6
        assert body(log, numbers[2]) == whole(list(request(*frames[:6]).parts))
        for number in numbers[:3]:
            log.forget(number)
        assert [count(log, table) for table in ("requests", "parts", "pictures")] == [0, 0, 0]
        assert log.file_bytes() < 60_000
        assert not log.forget(numbers[0])


def test_without_permission_only_digests_of_pictures_are_stored(tmp_path: Path) -> None:
    """Words, digests and sizes are there, no pixel is; with leave the same search finds one (the control)."""
    asked = request(picture(1, 3000), picture(2, 3000))
    with SentLog(tmp_path / "sent.db") as log:
        number = log.begin(replace(asked, stores_pictures=False))
        raw = log.path.read_bytes()
        assert not any(each.jpeg[:50] in raw for each in (picture(1, 3000), picture(2, 3000)))
        entries = SentLogReader(log)
        entry = entries.get(number)
        assert entry is not None
        assert (entry.pictures, entry.kept, entry.digest) == (2, False, asked.digest)
        assert entry.size == len(whole(list(asked.parts)))
        assert [(part.digest, part.size) for part in entries.parts(number) if not part.is_text] == [
            (picture(seed, 3000).digest, 3000) for seed in (1, 2)
        ]
        assert b"what is it?" in b"".join(part.text or b"" for part in entries.parts(number))
        assert entries.find_problem(number) is None
        with pytest.raises(ValueError, match="not all of this request was stored"):
            list(entries.body(number))
        kept = log.begin(asked)
        assert picture(1, 3000).jpeg[:50] in log.path.read_bytes()
        assert [entry.kept for entry in entries.newest(5)] == [True, False]
        log.connection.execute("UPDATE unkept SET bytes = bytes + 9")
        log.connection.commit()
        assert entries.find_problem(number) is not None
        assert entries.find_problem(kept) is None
        assert log.forget_session(Path(SESSION)) == 2
        assert [count(log, table) for table in ("requests", "parts", "pictures", "unkept")] == [0] * 4


def test_without_permission_only_digests_of_texts_are_stored(tmp_path: Path) -> None:
    """No word is there, and an altered size is found; with leave the same search finds the words (the control)."""
    asked = request(picture(1, 3000))
    with SentLog(tmp_path / "sent.db") as log:
        number = log.begin(replace(asked, stores_texts=False, stores_pictures=False))
        assert b"what is it?" not in log.path.read_bytes()
        entries = SentLogReader(log)
        parts = list(entries.parts(number))
        assert {part.text for part in parts} == {None}
        assert [part.digest for part in parts if part.is_text] == [
            hashlib.sha256(part).hexdigest() for part in asked.parts if isinstance(part, bytes)
        ]
        assert entries.find_problem(number) is None
        log.connection.execute("UPDATE unkept SET bytes = bytes + 1 WHERE is_text")
        log.connection.commit()
        assert entries.find_problem(number) is not None
        log.begin(asked)
        assert b"what is it?" in log.path.read_bytes()


@settings(max_examples=20)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("send"), st.sampled_from(["", "/s/a", "/s/b"]), st.lists(st.integers(0, 4), max_size=4)),
            st.tuples(st.just("forget"), st.sampled_from(["/s/a", "/s/b"]), st.none()),
        ),
        max_size=12,
    )
)
def test_no_picture_is_ever_orphaned_or_missed(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, list[int] | None]]
) -> None:
    sent: dict[int, tuple[str, list[int]]] = {}
    with SentLog(tmp_path_factory.mktemp("log") / "sent.db") as log:
        for what, session, seeds in steps:
            if what == "send" and seeds is not None:
                sent[log.begin(request(*map(picture, seeds), session=session))] = (session, seeds)
            else:
                log.forget_session(Path(session))
                sent = {number: found for number, found in sent.items() if found[0] != session}
        entries = SentLogReader(log)
        assert entries.numbers() == sorted(sent)
        assert [entries.find_problem(number) for number in sent] == [None] * len(sent)
        assert count(log, "pictures") == len({seed for _, seeds in sent.values() for seed in seeds})
        assert count_orphans(log) == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE parts SET text = CAST(replace(text, 'what', 'that') AS BLOB) WHERE n = 0",
        "UPDATE pictures SET jpeg = CAST(jpeg || 'x' AS BLOB)",
        "UPDATE requests SET digest = replace(digest, substr(digest, 1, 4), 'beef')",
        "DELETE FROM parts WHERE n = 2",
        "UPDATE pictures SET digest = 'f00d'",
    ],
)
def test_an_altered_entry_is_noticed(tmp_path: Path, damage: str) -> None:
    with SentLog(tmp_path / "sent.db") as log:
        number = log.begin(request(picture(1)))
        assert SentLogReader(log).find_problem(number) is None  # the control
        log.connection.execute(damage)
        assert SentLogReader(log).find_problem(number) is not None


def test_a_request_with_a_key_is_refused(tmp_path: Path) -> None:
    """A header that carries a key never gets to the file; the search for it finds what is put there on purpose."""
    path, key = tmp_path / "sent.db", "sk-very-secret"
    with SentLog(path) as log:
        for header in ("Authorization", "x-api-key", "X-Goog-Api-Key"):
            with pytest.raises(ValueError, match="header") as caught:
                log.begin(replace(request(picture(1)), headers={header: f"Bearer {key}"}))
            assert key not in str(caught.value)
        assert key.encode() not in path.read_bytes()
        log.begin(request(text=key))
        assert key.encode() in path.read_bytes()  # the control


def test_parts_that_are_not_the_body_are_refused(tmp_path: Path) -> None:
    """What could not be shown as it was sent is not kept, and so not sent."""
    good = request(picture(1))
    with SentLog(tmp_path / "sent.db") as log:
        with pytest.raises(ValueError, match="not those of its body"):
            log.begin(replace(good, digest="0" * 64))
        lying = SentPicture(digest=picture(2).digest, jpeg=picture(1).jpeg)
        for stores in (True, False):  # a digest is worth nothing unless it is the picture's, stored or not
            with pytest.raises(ValueError, match="not the one that its digest names"):
                log.begin(replace(request(lying), stores_pictures=stores))
        assert count(log, "requests") == count(log, "pictures") == 0


def test_what_is_deleted_is_overwritten_or_given_back(tmp_path: Path) -> None:
    """After forgetting, neither words nor pictures can be found in the file; before, both can."""
    path = tmp_path / "sent.db"
    shot = picture(5, 3000)
    with SentLog(path) as log:
        kept = log.begin(request(picture(6), text="stays here", session=""))
        log.begin(request(shot, text="quite private"))
        raw = path.read_bytes()
        assert b"quite private" in raw
        assert shot.jpeg[:200] in raw
        assert log.forget_session(Path(SESSION)) == 1
        raw = path.read_bytes()
        assert b"quite private" not in raw
        assert shot.jpeg[:200] not in raw
        assert b"stays here" in raw
        assert SentLogReader(log).find_problem(kept) is None


def test_a_full_log_deletes_its_oldest_requests(tmp_path: Path) -> None:
    limit = 300_000
    with SentLog(tmp_path / "sent.db", max_bytes=limit) as log:
        for n in range(60):
            newest = log.begin(request(picture(n, 20_000)))
            assert log.file_bytes() <= limit
        assert SentLogReader(log).numbers()[-1] == newest == 60
        huge = log.begin(request(picture(99, 2 * limit)))
        assert SentLogReader(log).numbers() == [huge]
        log.forget_all()
        assert log.begin(request()) == huge + 1


def test_requests_are_deleted_by_age_and_where_they_belong_to_no_session(tmp_path: Path) -> None:
    with SentLog(tmp_path / "sent.db") as log:
        for n in range(40):
            log.begin(request(picture(n, 10_000), at_ns=n, session="" if n % 2 else SESSION))
        assert log.forget_before(10) == 10
        assert log.sizes().keys() == {"", SESSION}
        assert 150_000 < log.sizes()[""] < 160_000
        assert log.forget_without_session(50_000) > 0
        assert 0 < log.sizes().get("", 0) + 1 <= 50_000
        assert log.sizes()[SESSION] > 150_000


def test_an_entry_is_there_when_the_process_is_killed_while_sending(tmp_path: Path) -> None:
    """What left must be shown even if nobody lived to write what came of it."""
    path = tmp_path / "sent.db"
    code = (
        "import os, signal, sys, pathlib\n"
        "from storage.sent.log import SentLog\n"
        "from tests.fakes.mllm.sent_requests import picture, request\n"
        "log = SentLog(pathlib.Path(sys.argv[1]))\n"
        "print(log.begin(request(picture(1), picture(2))), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with SentLog(path) as log:
        (entry,) = SentLogReader(log).newest(5)
        assert (entry.number, entry.outcome, entry.pictures) == (int(done.stdout), None, 2)
        assert SentLogReader(log).find_problem(entry.number) is None


def test_two_processes_may_write_and_delete(tmp_path: Path) -> None:
    """A command that deletes a session does so beside a running Kairos."""
    path = tmp_path / "sent.db"
    with SentLog(path) as running, SentLog(path) as command:
        first = running.begin(request(picture(1)))
        assert command.forget_session(Path(SESSION)) == 1
        running.end(first, "ok", 5, Cost())  # comes too late, and brings nothing back
        assert SentLogReader(running).newest(5) == []
        running.begin(request(picture(1)))
        assert count_orphans(command) == 0


def test_a_damaged_or_locked_log_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "sent.db"
    assert open_existing_sent_log(path) is None
    assert not path.exists()
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(BadFile, match="remove"):
        SentLog(path)
    path.unlink()
    with SentLog(path) as log:
        log.connection.execute("PRAGMA busy_timeout = 1")
        other = sqlite3.connect(path)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(EnvironmentFault, match="locked"):
            log.begin(request(picture(1)))
        other.close()
        log.connection.execute(f"PRAGMA max_page_count = {log.file_bytes() // 4096 + 2}")
        with pytest.raises(EnvironmentFault, match="free some disk space") as caught:
            log.begin(request(picture(1, 50_000)))
        assert caught.value.code == "disk_full"
        assert count_orphans(log) == 0
        assert SentLogReader(log).numbers() == []


def test_a_kill_during_a_write_leaves_whole_entries(tmp_path: Path) -> None:
    path = tmp_path / "sent.db"
    code = (
        "import sys, pathlib\n"
        "from storage.sent.log import SentLog\n"
        "from tests.fakes.mllm.sent_requests import picture, request\n"
        "log = SentLog(pathlib.Path(sys.argv[1]), max_bytes=2_000_000)\n"
        "for n in range(100_000):\n"
        "    log.begin(request(*(picture(n + k, 20_000) for k in range(6))))\n"
        "    print(n, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    with SentLog(path) as log:
        entries = SentLogReader(log)
        assert len(entries.numbers()) >= 5
        assert [entries.find_problem(number) for number in entries.numbers()] == [None] * len(entries.numbers())
        assert count_orphans(log) == 0
