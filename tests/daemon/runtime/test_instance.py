"""One Kairos a data folder, also where its lock file was deleted."""

import socket

import pytest

from daemon.runtime.control_client import socket_file
from daemon.runtime.instance import only_instance
from storage.errors import EnvironmentFault
from storage.files import lock_file


def test_a_second_one_is_refused_without_the_lock_file() -> None:
    """The first one's socket answers. The control: the socket of one that was killed does not."""
    with socket.socket(socket.AF_UNIX) as listening, only_instance():
        listening.bind(str(socket_file()))
        listening.listen()
        lock_file().unlink()
        with pytest.raises(EnvironmentFault, match="already running"), only_instance():
            pass
    with only_instance():
        assert socket_file().exists()
