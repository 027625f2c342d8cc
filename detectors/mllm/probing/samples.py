"""Generated pictures for trying out a server: a drawn window with lines of "text" that grow; never the screen."""

import random

from detectors.mllm.pictures import Pictures
from detectors.mllm.prompting.prompts import STATE_OPTIONS
from detectors.mllm.questions import AnswerForm, ModelQuery, Question, Task

WIDTH, HEIGHT = 960, 540
"""The size of stored pictures of the screen (`capture.store_width`), so that costs are alike."""

GAP_S = 0.75

QUESTIONS = (
    Question(key="behavior", task=Task.BEHAVIOR, form=AnswerForm.CHOICE, options=STATE_OPTIONS),
    Question(key="need", task=Task.NEED, form=AnswerForm.YES_NO),
)


def sample(count: int, *, seed: int = 0) -> ModelQuery:
    """Return a query with `count` generated pictures; with another seed all of them differ."""
    import numpy as np
    import simplejpeg

    encoder = Pictures(count)
    rng = random.Random(seed)  # noqa: S311  # draws a picture
    canvas = np.full((HEIGHT, WIDTH, 3), (58, 74, 92), dtype=np.uint8)
    canvas[40:510, 60:900] = (246, 246, 244)
    canvas[40:70, 60:900] = (70, 70, 76)
    canvas[48:62, 72 : 72 + 8 * (1 + seed % 90)] = (180, 180, 190)  # tells seeds apart
    pictures = []
    for number in range(count):
        top, left = 90 + 13 * (number % 32), 90
        for _ in range(rng.randint(4, 9)):
            width = rng.randint(14, 80)
            canvas[top : top + 8, left : left + width] = (40, 40, 44)
            left += width + 10
        pictures.append(encoder.picture_of(simplejpeg.encode_jpeg(canvas, quality=80, colorspace="RGB")))
    times_s = tuple(GAP_S * number for number in range(count))
    return ModelQuery(pictures=tuple(pictures), at_s=times_s, questions=QUESTIONS)
