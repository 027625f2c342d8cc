"""Made-up data in the layout of the two studies, small enough for tests; nobody's words and nobody's figures."""

import json
import random
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

MODELS = {"talker": ["Offer help."], "shy": [], "nuller": ["null"], "wordy": {"candidate_task": []}}
CALM = ("The user types in the editor.", "The user scrolls down.", "The user clicks a tab.", "The user saves the file.")
STUCK = ("The user searches for an error message.", "The user searches for help with an exception.")


def proactivebench(
    folder: Path, *, seed: int = 1, traces: int = 6, length: int = 12, telling: bool = True
) -> dict[str, list[dict[str, object]]]:
    """Write a data set in which a search means need (or, unless `telling`, nothing does); return moments by trace."""
    rng = random.Random(seed)
    items: dict[str, list[dict[str, object]]] = {}
    for trace in range(traces):
        history: list[dict[str, str]] = []
        name = f"code_{trace + 11}.json"
        items[name] = []
        for step in range(length):
            stuck = step > 0 and rng.random() < 0.3
            event = rng.choice(STUCK if stuck else CALM) + f" ({trace}.{step})"
            history.append({"time": f"{1000 + trace * 100 + step}.5", "event": event})
            help_needed = stuck if telling else rng.random() < 0.3
            items[name].append(
                {
                    "obs": [*history],
                    "pred_task": "An offer.",
                    "help_needed": help_needed,
                    "annotation": [help_needed, False],
                }
            )
    rewards, tests, evaluated = folder / "dataset" / "reward_data", folder / "dataset" / "test_data", folder / "eval"
    for place in (rewards, tests, evaluated):
        place.mkdir(parents=True)
    lines = [json.dumps(item) for moments in items.values() for item in moments]
    (rewards / "train_data.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (rewards / "test_data.jsonl").write_text("\n".join(lines[:5]) + "\n", encoding="utf-8")
    (tests / "splits.json").write_text("{}", encoding="utf-8")
    with zipfile.ZipFile(evaluated / "traces.zip", "w") as archive:
        for name, moments in items.items():
            events = [{"observation": moment["obs"][-1]} for moment in moments]  # type: ignore[index]  # a list, see above
            (tests / name).write_text(json.dumps(events), encoding="utf-8")
            for model, answer in MODELS.items():
                told = [{**event, "agent_response": answer} for event in events]
                archive.writestr(f"eval/traces_new/{model}/{name}", json.dumps(told))
    return items


def cups(folder: Path, *, seed: int = 1, programmers: int = 6, suggestions: int = 30, telling: bool = True) -> Path:
    """Write telemetry in which sure suggestions are accepted (or, unless `telling`, any are); return its file."""
    rng = random.Random(seed)
    lines = []
    for programmer in range(programmers):
        at = datetime(2022, 8, 8, 9, tzinfo=UTC)
        number = 0
        for _ in range(suggestions):
            sure = rng.random()
            accepted = (sure if telling else rng.random()) > 0.6
            answer = "Accepted" if accepted else "Rejected"
            for event in ("Shown", *(["Replay"] * rng.randrange(2)), answer):
                seconds = rng.uniform(0.1, 9.0)
                at += timedelta(seconds=seconds)
                hidden = "UserTyping" if event == "Shown" else "UserBeforeAction"
                state = "IDK (I)" if rng.random() < 0.1 else {"Shown": "Writing", "Replay": "Verifying"}.get(event, "X")
                lines.append(
                    {
                        "session": programmer,
                        "i": number,
                        "time": at.isoformat(),
                        "event": event,
                        "hidden_state": hidden,
                        "seconds_in_state": seconds,
                        "suggestion_chars": 1000 if accepted else 1,
                        "measurements": {"confidence": sure, "compCharLen": rng.randrange(1, 90)},
                        "edit_percentage": [float(accepted)] * 5,
                        "labeled_state": state,
                    }
                )
                number += 1
    path = folder / "telemetry.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
