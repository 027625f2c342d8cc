"""Switches between applications, and time in the usual application, in others, in browsers and help viewers.

Home is the application with the most acts so far, at first the first one. Titles are read as keyed digests alone: they
show only that another page or document is open.
"""

from collections import OrderedDict

from detectors.acts import Act, is_help_app
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import PRIOR, Fade, log_age, mean, remember, scaled
from storage.records import Focus

MAX_APPS = 16
HEAD_START = 60  # acts by which another application must lead the first one to be the usual one; a guess
MAX_TITLES = 64
_AWAY, _HELP, _BOTH = range(3)
_SWITCHES, _RETURNS, _FIRSTS, _STAY_LOGS, _TITLES, _TITLES_BACK, _WINDOWS, _ACTS, _DONE = range(9)
_DOING = {
    "type": (Act.TEXT, Act.ERASE, Act.COMMIT, Act.CLIP),
    "press": (Act.PRESS,),
    "scroll": (Act.SCROLL, Act.STEP),
}
_DOES = [next((at for at, acts in enumerate(_DOING.values()) if act in acts), -1) for act in Act]
_SIZE = _DONE + len(_DOING)


class AppSwitches(FeatureExtractor):
    """Follows changes of focus."""

    table = defined("app_switches")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._time = fade.sums(_BOTH)
        self._long = fade.long_sums(_SIZE)
        self._before = self._home = ""
        self._helps = False
        self._apps: OrderedDict[str, int] = OrderedDict()
        self._since_ns: int | None = None
        self._stay_ns: int | None = None
        self._window_id = 0
        self._title = ""
        self._titles: OrderedDict[tuple[str, str], None] = OrderedDict()

    def on_act(self, act: Act, count: int, t_ns: int) -> None:
        apps, app = self._apps, self._window.program.app
        if app:
            apps[app] = apps.get(app, 0) + 1
            if app != self._home and apps[app] > apps.get(self._home, 0):
                self._pass(app, t_ns)
                self._home = app
        weight = self._fade.weights_at(t_ns)[2] * count
        self._long[_ACTS] += weight
        if self._helps and _DOES[act] >= 0:
            self._long[_DONE + _DOES[act]] += weight

    def on_focus(self, focus: Focus) -> None:
        """Take a change of focus in; dialogs belong to the application they cover."""
        program = self._window.program
        if focus.dialog and program.before:
            return
        t_ns, totals = focus.t_ns, self._long
        key = (focus.app, focus.title_digest)
        if program.switched:
            self._switch(program.before, program.app, t_ns)
        elif focus.window != self._window_id:
            totals[_WINDOWS] += self._fade.weights_at(t_ns)[2]
        elif focus.title_digest != self._title:
            weight = self._fade.weights_at(t_ns)[2]
            totals[_TITLES] += weight
            if key in self._titles:
                totals[_TITLES_BACK] += weight
        self._window_id, self._title = focus.window, focus.title_digest
        remember(self._titles, key, None, MAX_TITLES)

    def _switch(self, left: str, app: str, t_ns: int) -> None:
        totals = self._long
        self._pass(left, t_ns)
        if left:
            weight = self._fade.weights_at(t_ns)[2]
            totals[_SWITCHES] += weight
            totals[_STAY_LOGS] += log_age(self._watched(self._stay_ns), t_ns) * weight
            if app == self._before:
                totals[_RETURNS] += weight
            elif app not in self._apps:
                totals[_FIRSTS] += weight
        else:
            self._home = app
            self._apps[app] = HEAD_START
        self._before = left
        self._helps = is_help_app(app)
        self._stay_ns = t_ns
        remember(self._apps, app, self._apps.get(app, 0), MAX_APPS)

    def _pass(self, app: str, t_ns: int) -> None:
        """Count the time spent in an application so far."""
        begin_ns = self._watched(self._since_ns)
        if begin_ns is not None and t_ns > begin_ns:
            spent = self._fade.weights_between(begin_ns, t_ns)
            if app != self._home:
                self._time.add(_AWAY, 1.0, spent)
            if self._helps:
                self._time.add(_HELP, 1.0, spent)
        self._since_ns = t_ns

    def _watched(self, t_ns: int | None) -> int | None:
        """Return a moment, or the later one from which on was watched: earlier time does not count."""
        resumed_ns = self._fade.resumed_ns
        return None if t_ns is None or resumed_ns is None else max(t_ns, resumed_ns)

    def forget(self) -> None:
        """Drop what is in progress: observation stops, but where people are is known by the focus alone."""

    def values(self, now_ns: int) -> dict[str, float]:
        fade = self._fade
        factors, observed = fade.factors(now_ns), fade.observed_s(now_ns)
        middle, whole = self._time.read(factors)
        _, middle_now, whole_now = fade.elapsed_s(self._watched(self._since_ns), now_ns)
        long = scaled(self._long, factors[2])
        switches, acts = long[_SWITCHES], long[_ACTS] + PRIOR
        away = self._window.program.app != self._home
        return {
            "away_6s": min(1.0, (middle[_AWAY] + middle_now * away) / observed[1]),
            "away_8s": min(1.0, (whole[_AWAY] + whole_now * away) / observed[2]),
            "help_6s": min(1.0, (middle[_HELP] + middle_now * self._helps) / observed[1]),
            "help_8s": min(1.0, (whole[_HELP] + whole_now * self._helps) / observed[2]),
            "away_now": float(away),
            "switch_rate": switches / observed[2],
            "switch_back": long[_RETURNS] / (switches + PRIOR),
            "switch_new": long[_FIRSTS] / (switches + PRIOR),
            "stay_length": mean(switches, long[_STAY_LOGS]),
            "stay_now": log_age(self._watched(self._stay_ns), now_ns),
            "title_rate": long[_TITLES] / observed[2],
            "title_back": long[_TITLES_BACK] / (long[_TITLES] + PRIOR),
            "window_rate": long[_WINDOWS] / observed[2],
            **{f"help_{does}": long[_DONE + at] / acts for at, does in enumerate(_DOING)},
        }
