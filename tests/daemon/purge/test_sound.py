"""What was said in a span that is forgotten."""

from pathlib import Path

from daemon.purge.carry_out import carry_out
from daemon.purge.intent import PurgeIntent
from daemon.purge.plan import plan_purge
from daemon.purge.span import PurgeSpan
from storage.clock import NS_PER_S
from storage.records import SessionStart, Sound
from storage.session.sound import SoundPlan
from storage.session.transcript import TRANSCRIPT, SpokenWord, Transcript, write_transcript
from storage.session.verify import verify
from storage.testing import SessionBuilder
from tests.fakes.sessions.rows import rows_in
from tests.fakes.sound.tones import placed, seconds_with, tone, write_sound

BEFORE, MARKER = 600, 2000


def test_of_what_was_said_only_the_time_before_is_left(tmp_path: Path) -> None:
    """A stretch goes on over the beginning of the span, and another one follows inside; control: they are there."""
    made = SessionBuilder()
    begin_ns = made.clock.now_ns()
    made.wait(1.2).put(Sound, t_ns=begin_ns, on=True, sound_ref="sound-000.mp4@0")
    made.wait(2.6).keys(1)  # what was said up to here stays
    made.wait(1).keys(20)
    made.wait(5).put(Sound, t_ns=begin_ns + 8 * NS_PER_S, on=True, sound_ref="sound-001.mp4@0")
    sessions = tmp_path / "sessions"
    folder = made.end().write(sessions)
    plan = SoundPlan(8)
    said = placed(plan, begin_ns, tone(BEFORE, 5)) + placed(plan, begin_ns + 5 * NS_PER_S, tone(MARKER, 4))
    write_sound(folder, said)
    words = [(1, "before"), (5, "said-in-the-span")]
    write_transcript(
        folder,
        Transcript(
            source="imported",
            words=tuple(
                SpokenWord(start_ns=begin_ns + at * NS_PER_S, end_ns=begin_ns + (at + 1) * NS_PER_S, text=text)
                for at, text in words
            ),
        ),
    )
    first, second = folder / "sound-000.mp4", folder / "sound-001.mp4"
    assert min(seconds_with(first, MARKER)) == 5.0
    assert seconds_with(second, MARKER)
    start = next(row for row in rows_in(folder) if isinstance(row, SessionStart))
    from_wall_ns = start.wall_ns + begin_ns + 5 * NS_PER_S - start.at_ns
    span = PurgeSpan(scope="last", begin_wall_ns=from_wall_ns, end_wall_ns=None)
    intent = PurgeIntent(sessions_dir=str(sessions), scope="last", begin_wall_ns=from_wall_ns, end_wall_ns=None)
    state_file = tmp_path / "state.db"
    carry_out(intent, plan_purge(span, sessions, state_file), state_file)
    assert seconds_with(first, MARKER) == []
    assert not second.exists()
    assert 4.8 <= max(seconds_with(first, BEFORE)) <= 4.98
    assert verify(folder).ok
    assert b"before" in (folder / TRANSCRIPT).read_bytes()
    assert b"said-in-the-span" not in (folder / TRANSCRIPT).read_bytes()
