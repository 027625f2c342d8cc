"""The command `kairos study collect` before it connects."""

from pathlib import Path

import pytest

from daemon.cli.main import main


def test_a_study_that_is_not_there_leaves_no_folder_for_parcels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever mistypes its name finds no empty folder later."""
    assert main(["study", "collect", str(tmp_path / "mistyped"), "--data", str(tmp_path / "data")]) != 0
    assert "mistyped" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()
