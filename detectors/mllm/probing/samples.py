"""Generated pictures for trying out a server: a drawn window with lines of "text" that move on; never the screen."""

import random

from detectors.mllm.pictures import Pictures
from detectors.mllm.prompting.prompts import STATE_OPTIONS
from detectors.mllm.questions import Form, ModelQuery, Question, Task

WIDTH, HEIGHT = 960, 540
"""The size at which pictures of the screen are kept (`capture.store_width`), so that costs are like theirs."""

GAP_S = 0.75

QUESTIONS = (
    Question(key="behavior", task=Task.BEHAVIOR, form=Form.CHOICE, options=STATE_OPTIONS),
    Question(key="need", task=Task.NEED, form=Form.YES_NO),
)


def sample(count: int, *, seed: int = 0) -> ModelQuery:
    """Return an ask with so many generated pictures; with another seed no picture is the same."""
    import numpy as np
    import simplejpeg

    made = Pictures(count)
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
        pictures.append(made.picture_of(simplejpeg.encode_jpeg(canvas, quality=80, colorspace="RGB")))
    return ModelQuery(
        pictures=tuple(pictures), at_s=tuple(GAP_S * number for number in range(count)), questions=QUESTIONS
    )
