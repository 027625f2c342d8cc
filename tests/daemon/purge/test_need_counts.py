"""What the policy counted in a program is forgotten with the time in which it was used."""

import pytest

from daemon.purge.purge import begin, finish
from daemon.purge.span import last
from policies.chain import ChainPolicy
from policies.need_levels import count_evidence, save_need_history
from policies.state import NeedHistory
from storage.clock import NS_PER_S
from storage.files import private_folder, sessions_folder, state_file, state_folder
from storage.state.store import StateStore
from storage.testing import SessionBuilder
from tests.fakes.detectors.fake_detectors import estimate_of

WALL_NS = 1_790_000_000 * NS_PER_S


@pytest.mark.parametrize("worked", [True, False])
def test_hours_in_a_program_are_forgotten_with_a_session_without_offers(*, worked: bool) -> None:
    """The control holds no estimate, so it taught nothing, and what was known before stays."""
    session = SessionBuilder(wall_ns=WALL_NS).wait(60).keys(3)
    if worked:
        session.add(estimate_of(0.1))
    session.end()
    private_folder(state_folder())
    session.write(sessions_folder())
    history = count_evidence(NeedHistory(), estimate_of(0.5, app="secretapp"), 3.0, 6 * NS_PER_S)
    with StateStore(state_file()) as state:
        state.save_policy_state(ChainPolicy.memory, save_need_history(history), WALL_NS + 60 * NS_PER_S)
    begin(last(600, WALL_NS + 90 * NS_PER_S), sessions_folder(), state_file())
    assert finish(state_file()) is not None
    assert (b"secretapp" in state_file().read_bytes()) is not worked
