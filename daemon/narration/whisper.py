"""Writes down what was said in a session, by a Whisper model that lies on this machine; nothing is fetched.

It takes the extra `narration` (faster-whisper), and a folder with a model in CTranslate2's format.
"""

import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from daemon.narration.stretches import stretches
from storage.clock import NS_PER_S
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.files import expand_user
from storage.plain_text import printable
from storage.session.log import DATABASE
from storage.session.transcript import MAX_LENGTH, SpokenWord, Transcript

NEEDED = ("model.bin", "config.json", "tokenizer.json")
"""Without its tokenizer, faster-whisper would fetch one."""

Files = Mapping[str, tuple[int, int]]
"""The files of a session that a purge would replace or shorten, and which they are: number and size."""


def is_installed() -> bool:
    """Tell whether the extra is there."""
    return find_spec("faster_whisper") is not None


def check_model(folder: str) -> Path:
    """Return the folder of a model.

    Raises:
        UsageError: none is named, or it lacks something.
    """
    remedy = "kairos config set narration.model_folder FOLDER, which holds a Whisper model in CTranslate2's format"
    if not folder:
        raise UsageError("no model is named that could write speech down", remedy=remedy)
    path = expand_user(folder)
    missing = [name for name in NEEDED if not (path / name).is_file()]
    if missing:
        raise UsageError(f"{path} is no Whisper model: it has no {' and no '.join(missing)}", remedy=remedy)
    return path


def transcribe(folder: Path, model_folder: str, language: str, *, cores: int = 1) -> Transcript:
    """Return what was said in a session, in a language (`en`), with words in session time.

    Raises:
        UsageError: there is no model, or it lacks the language.
        EnvironmentFault: the extra is not installed.
        BadFile: the session or the model is damaged, or the session has changed meanwhile.
    """
    path = check_model(model_folder)
    if not is_installed():
        raise EnvironmentFault(
            "what writes speech down is not installed", remedy="pip install 'kairos-assistant[narration]'"
        )
    before = _files(folder)
    if len(before) == 1:  # the rows alone; what was read from a file stays
        raise BadFile(f"there is no sound in {folder.name}", remedy="kairos config set capture.record_speech on")
    model = _load(path, cores)
    if language not in model.supported_languages:
        known = ", ".join(sorted(model.supported_languages)[:5])
        raise UsageError(
            f"the model in {path} does not know the language {language!r}; it knows {known}",
            remedy="kairos config set narration.language CODE, or name another model",
        )
    words = tuple(_words(folder, model, language))
    if _files(folder) != before:
        raise BadFile(f"{folder.name} was changed while it was read; nothing was kept", remedy="try again")
    return Transcript(source=f"whisper {path.name}"[:MAX_LENGTH], language=language, words=words)


def _load(path: Path, cores: int) -> Any:
    os.environ |= {"HF_HUB_OFFLINE": "1", "ORT_DISABLE_TELEMETRY": "1"}  # before its library is imported
    from faster_whisper import WhisperModel

    try:
        return WhisperModel(str(path), device="cpu", compute_type="int8", cpu_threads=cores, local_files_only=True)
    except Exception as error:  # its tokenizer raises no less
        raise BadFile(f"the model in {path} cannot be loaded", remedy="get it again") from error


def _words(folder: Path, model: Any, language: str) -> Iterator[SpokenWord]:
    for stretch in stretches(folder):
        segments, _ = model.transcribe(
            stretch.samples,
            language=language,
            beam_size=1,
            word_timestamps=True,
            vad_filter=True,
            condition_on_previous_text=False,
        )
        for segment in segments:
            for word in segment.words or ():
                text = printable(word.word.strip())[:MAX_LENGTH]
                if text:
                    start_ns = stretch.start_ns + round(max(0.0, word.start) * NS_PER_S)
                    end_ns = max(start_ns, stretch.start_ns + round(word.end * NS_PER_S))
                    score = round(float(word.probability), 4)
                    yield SpokenWord(start_ns=start_ns, end_ns=end_ns, text=text, score=score)


def _files(folder: Path) -> Files:
    found = [folder / DATABASE, *sorted(folder.glob("sound-*.mp4"))]
    return {path.name: (path.stat().st_ino, path.stat().st_size) for path in found}
