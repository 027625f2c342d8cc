"""Classes whose methods are compiled when they are first called are like all others."""

import dataclasses
import json
import subprocess
import sys

import pytest

_STORY = """
import builtins, dataclasses, json, pickle, sys
from daemon.late_methods import compile_late

compiled = []
dataclasses.exec = lambda *given: compiled.append(given[0]) or builtins.exec(*given)
if {late}:
    compile_late()
    compile_late()

sys.modules["storage.example"] = module = type(sys)("storage.example")
builtins.exec('''
from dataclasses import dataclass, field

@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    "A row."
    seq: int = 0

@dataclass(frozen=True, slots=True, kw_only=True)
class Press(Row):
    "A press."
    name: str
    tags: list = field(default_factory=list, hash=False)

@dataclass(order=True)
class Count:
    "A count."
    many: int

    def __post_init__(self):
        self.twice = 2 * self.many

class Named(Count):
    def __init__(self):
        super().__init__(3)
''', module.__dict__)
begun = len(compiled)
one, other = module.Press(name="a", seq=1), module.Press(name="a", seq=1)
def says(act):
    try:
        return repr(act())
    except Exception as error:
        return type(error).__name__ + ": " + str(error)
told = [says(act) for act in (
    lambda: one, lambda: one == other, lambda: one == module.Press(name="b"), lambda: hash(one) == hash(other),
    lambda: one.tags is other.tags, lambda: setattr(one, "name", "b"), lambda: delattr(one, "name"),
    lambda: dataclasses.replace(one, name="b"), lambda: pickle.loads(pickle.dumps(one)) == one,
    lambda: module.Press(), lambda: module.Press(1), lambda: module.Row(seq=5), lambda: one == module.Row(seq=1),
    lambda: module.Named().twice, lambda: module.Count(1) < module.Count(2), lambda: dataclasses.asdict(one),
    lambda: hash(module.Count(1)), lambda: module.Press.__init__.__qualname__, lambda: module.Row.__match_args__,
)]
used = len(compiled) - begun
for _ in range(3):
    module.Press(name="c")
print(json.dumps([begun, used, len(compiled) - begun - used, told]))
"""
needs_compiler = pytest.mark.skipif(not hasattr(dataclasses, "_create_fn"), reason="Python 3.13 compiles otherwise")


def told(late: bool) -> tuple[int, int, int, list[str]]:
    script = _STORY.replace("{late}", str(late))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    begun, used, again, said = json.loads(done.stdout)
    return begun, used, again, said


@needs_compiler
def test_they_say_and_refuse_the_same_and_are_compiled_once_when_they_are_called() -> None:
    """The control compiles all before the first is called."""
    begun, used, again, said = told(late=True)
    assert (begun, again) == (0, 0)
    control, nothing, _, expected = told(late=False)
    assert control > used > 0
    assert nothing == 0
    assert said == expected


@needs_compiler
@pytest.mark.parametrize(("words", "is_late"), [(["config", "show"], True), (["status"], False)])
def test_commands_that_load_classes_begin_with_it(words: list[str], is_late: bool) -> None:
    """A bare `kairos status` loads none, nor what makes them."""
    script = (
        f"import sys; sys.argv[1:] = {words}\nfrom daemon.cli.main import main\nmain()\n"
        "print(getattr(sys.modules.get('dataclasses'), '_create_fn', len).__module__, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr.splitlines()[-1] == ("daemon.late_methods" if is_late else "builtins"), done.stderr
