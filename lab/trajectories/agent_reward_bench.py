"""Loads AgentRewardBench's cleaned trajectories, and the annotations of people that lie beside them as CSV.

One JSON object a trajectory: `benchmark goal agent model steps[action reasoning screenshot_path]`, and perhaps
`summary_info{cum_reward}`, the verdict of the benchmark's own rules: a success above 0.5, as its authors count it. The
picture of a step shows what was there before it. Acts are calls as text (`click('a51')`). Of a trajectory that several
people annotated the first annotation counts, and "Unsure" gives no outcome. WorkArena tasks with "l2" in their id are
WorkArena++. The data was not at hand: this was tried on rows of our own making alone.
"""

import ast
import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from daemon.history.trajectory.files import MAX_STEPS, MAX_TEXT, MAX_TRAJECTORIES, FilePictures, files_of, picture_name
from daemon.history.trajectory.trajectory import API, Step, StepAction, Target, Trajectory, TrajectorySet, Verb
from lab.trajectories.rows import decode_row, raw_rows, read_whole
from storage.errors import BadFile

LAYOUT = "agent-reward-bench"
ANNOTATIONS = "annotations.csv"
TOP, CLEANED = "trajectories", "cleaned"
"""The folder that released paths of pictures begin with, and the one of the trajectories in it."""

WORKARENA, WORKARENA_PLUS = "workarena", "workarena++"
AGENT = "agent"
QUESTIONS = ("trajectory_success", "trajectory_side_effect", "trajectory_optimality", "trajectory_looping")
"""What annotators were asked, by the names of the columns."""

_OUTCOMES = {"successful": True, "unsuccessful": False}
_UNSURE = "unsure"
_REWARDED = 0.5
_MOST_ROWS = 100_000
_LONGEST_ACT = 10_000

_VERBS: Mapping[str, Verb] = {
    "click": Verb.CLICK,
    "mouse_click": Verb.CLICK,
    "dblclick": Verb.DOUBLE_CLICK,
    "mouse_dblclick": Verb.DOUBLE_CLICK,
    "fill": Verb.TYPE,
    "type": Verb.TYPE,
    "keyboard_type": Verb.TYPE,
    "keyboard_insert_text": Verb.TYPE,
    "press": Verb.KEY,
    "keyboard_press": Verb.KEY,
    "select_option": Verb.SELECT,
    "scroll": Verb.SCROLL,
    "drag_and_drop": Verb.DRAG,
    "mouse_drag_and_drop": Verb.DRAG,
    "noop": Verb.WAIT,
    "send_msg_to_user": Verb.FINISH,
    "report_infeasible": Verb.FINISH,
}
"""Acts of agents in browsers; any other is a call of that name."""

_BY_ID = frozenset({"click", "dblclick", "fill", "type", "press", "select_option", "drag_and_drop", "hover"})


class _Step(msgspec.Struct):
    action: str | None = None
    reasoning: str | None = None
    screenshot_path: str | None = None


class _Summary(msgspec.Struct):
    cum_reward: float | None = None


class _Row(msgspec.Struct):
    benchmark: str
    goal: str | None
    steps: list[_Step]
    agent: str = ""
    model: str = ""
    task_id: str = ""
    summary_info: _Summary | None = None


_DECODER = msgspec.json.Decoder(_Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What one person said of one trajectory: the answers by question, in lower case."""

    benchmark: str
    model: str
    task: str
    answers: Mapping[str, str]

    @property
    def trajectory(self) -> tuple[str, str, str]:
        """Which trajectory it is about."""
        return self.benchmark, self.model, self.task


def load(path: Path) -> TrajectorySet:
    """Return the trajectories in a file or below a folder, with outcomes where annotations lie beside.

    Raises:
        BadFile: there are none, or a row does not fit; says which.
    """
    root = path if path.is_dir() else path.parent
    files = files_of(_cleaned(path), (".json", ".jsonl"))[1]
    found = next((root / place for place in (ANNOTATIONS, f"data/{ANNOTATIONS}") if (root / place).is_file()), None)
    first = first_annotations(read_annotations(found)) if found is not None else {}
    left_out: Counter[str] = Counter()
    trajectories: dict[str, Trajectory] = {}
    domains = {}
    by_rules = {}
    for file in files:
        for where, raw in raw_rows(file):
            row = decode_row(_DECODER, raw, where, "a trajectory of AgentRewardBench")
            task = row.task_id or file.stem
            agent = row.agent or row.model
            key = f"{row.benchmark}/{agent}/{task}"[:MAX_TEXT]
            if key in trajectories:
                raise BadFile(f"{where} is a trajectory that was there before")
            if len(trajectories) == MAX_TRAJECTORIES:
                raise BadFile(f"{path} holds more than {MAX_TRAJECTORIES} trajectories", remedy="name a part of it")
            steps, last = _steps(where, row.steps)
            if not steps:
                left_out["trajectories without an act"] += 1
                continue
            said = first.get((row.benchmark, agent, task)) or first.get((row.benchmark, row.model, task))
            answer = said.answers.get(QUESTIONS[0], "") if said is not None else ""
            if answer == _UNSURE:
                left_out["outcomes of which the annotator was unsure"] += 1
            domains[key] = domain_of(row.benchmark, task)
            if row.summary_info is not None and row.summary_info.cum_reward is not None:
                by_rules[key] = row.summary_info.cum_reward > _REWARDED
            trajectories[key] = Trajectory(
                key=key,
                source=LAYOUT,
                whose=AGENT,
                app="browser",
                goal=(row.goal or "")[:MAX_TEXT] or None,
                steps=steps,
                outcome=_OUTCOMES.get(answer),
                last_picture=last,
            )
    if not trajectories:
        raise BadFile(f"{path} holds no trajectory of AgentRewardBench")
    return TrajectorySet(
        layout=LAYOUT,
        trajectories=tuple(trajectories.values()),
        pictures=FilePictures(root, (TOP, "") if (root / TOP).is_dir() else ("",)),
        domains=domains,
        by_rules=by_rules,
        left_out=dict(left_out),
    )


def _cleaned(path: Path) -> Path:
    """Return where the trajectories are: beside them lie judgments of models, which are JSON too."""
    return next((place for place in (path / TOP / CLEANED, path / CLEANED) if place.is_dir()), path)


def domain_of(benchmark: str, task: str) -> str:
    """Return the benchmark that a trajectory counts for."""
    plus = benchmark.casefold() == WORKARENA and "l2" in task.casefold()
    return WORKARENA_PLUS if plus else benchmark.casefold()[:MAX_TEXT]


def read_annotations(path: Path) -> list[Annotation]:
    """Return the annotations in a CSV file, in its order.

    Raises:
        BadFile: it is no such table.
    """
    try:
        reader = csv.DictReader(io.StringIO(read_whole(path).decode(), newline=""))
        found: list[Annotation] = []
        for number, row in enumerate(reader, start=2):
            values = {
                name: (row.get(name) or "").strip() for name in ("benchmark", "model_name", "task_id", *QUESTIONS)
            }
            if not (values["benchmark"] and values["model_name"] and values["task_id"]):
                raise BadFile(f"{path}: row {number} says nothing of benchmark, model_name or task_id")
            if len(found) == _MOST_ROWS:
                raise BadFile(f"{path} holds more than {_MOST_ROWS} rows")
            answers = {name: values[name].casefold() for name in QUESTIONS if values[name]}
            found.append(
                Annotation(
                    benchmark=values["benchmark"], model=values["model_name"], task=values["task_id"], answers=answers
                )
            )
    except (UnicodeDecodeError, csv.Error):
        raise BadFile(f"{path} is no table in CSV") from None
    return found


def first_annotations(annotations: Sequence[Annotation]) -> dict[tuple[str, str, str], Annotation]:
    """Return the first annotation of each trajectory."""
    found: dict[tuple[str, str, str], Annotation] = {}
    for annotation in annotations:
        found.setdefault(annotation.trajectory, annotation)
    return found


def _steps(where: str, rows: Sequence[_Step]) -> tuple[tuple[Step, ...], str | None]:
    """Return the steps with an act, and the picture of the state after the last one."""
    if len(rows) > MAX_STEPS:
        raise BadFile(f"{where} has more than {MAX_STEPS} steps")
    pictures = [_picture(f"{where}, step {number}", row.screenshot_path) for number, row in enumerate(rows, start=1)]
    steps: list[Step] = []
    for place, row in enumerate(rows):
        if not (row.action or "").strip():
            continue
        action, target = parse_act(row.action or "")
        steps.append(
            Step(
                number=len(steps) + 1,
                at_s=0.0,
                app="browser",
                action=action,
                target=target,
                before=pictures[place],
                after=pictures[place + 1] if place + 1 < len(rows) else None,
                said=(row.reasoning or "")[:MAX_TEXT] or None,
            )
        )
    return tuple(steps), steps[-1].after or steps[-1].before if steps else None


def _picture(where: str, name: str | None) -> str | None:
    if not name:
        return None
    parts = PurePosixPath(name).parts
    return picture_name(where, str(PurePosixPath(*parts[1:])) if parts[0] == TOP and len(parts) > 1 else name)


def parse_act(text: str) -> tuple[StepAction, Target | None]:
    """Return the act and the target of the first call in a text such as `fill('b12', 'Rome')`.

    What cannot be read becomes a call without a name of its own, with its text.
    """
    call = next(iter(_calls(text)), None)
    if call is None:
        return StepAction(verb=f"{API}unknown", args={"text": text.strip()[:MAX_TEXT]}), None
    name, given = call
    target = None
    if name in _BY_ID and given and isinstance(given[0], str):
        target, given = Target(id=given[0][:MAX_TEXT]), given[1:]
    verb = _VERBS.get(name)
    if verb is None:
        text = " ".join(map(str, given))
        return StepAction(verb=f"{API}{name}", args={"text": text[:MAX_TEXT]} if text else {}), target
    if verb is Verb.CLICK and "right" in given:
        verb = Verb.RIGHT_CLICK
    return StepAction(verb=verb, args=_args(verb, name, given)), target


def _args(verb: Verb, name: str, given: Sequence[str | float]) -> dict[str, str | int | float]:
    numbers = [value for value in given if isinstance(value, int | float)]
    words = " ".join(value for value in given if isinstance(value, str))[:MAX_TEXT]
    if name.startswith("mouse_") and len(numbers) > 1:
        args: dict[str, str | int | float] = {"x": numbers[0], "y": numbers[1]}
        return args | ({"to_x": numbers[2], "to_y": numbers[3]} if len(numbers) > 3 else {})  # noqa: PLR2004  # two points
    if verb is Verb.SCROLL and len(numbers) > 1:
        across, down = numbers[0], numbers[1]
        way = ("down" if down > 0 else "up") if down else ("right" if across > 0 else "left")
        return {"way": way, "pixels": abs(down) or abs(across)}
    field = {Verb.TYPE: "text", Verb.KEY: "key", Verb.SELECT: "value", Verb.FINISH: "text", Verb.DRAG: "to"}.get(verb)
    return {field: words} if field and words else {}


def _calls(text: str) -> Iterator[tuple[str, list[str | float]]]:
    """Yield name and plain arguments of each call in a text; nothing of it is run."""
    try:
        body = ast.parse(text.strip()[:_LONGEST_ACT]).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for line in body:
        if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call) and isinstance(line.value.func, ast.Name):
            values = [*line.value.args, *(keyword.value for keyword in line.value.keywords)]
            yield line.value.func.id[:100], [item for value in values for item in _plain(value)]


def _plain(value: ast.expr) -> Iterator[str | float]:
    if isinstance(value, ast.List | ast.Tuple):
        for elt in value.elts:
            yield from _plain(elt)
    elif isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub) and isinstance(value.operand, ast.Constant):
        if isinstance(value.operand.value, int | float):
            yield -value.operand.value
    elif isinstance(value, ast.Constant) and isinstance(value.value, str | int | float):
        yield value.value
