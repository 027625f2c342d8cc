"""Whether a browser of the Firefox family may be always private, by the files that set its preferences."""

from pathlib import Path

import pytest

from daemon.capture.programs.gecko_profile import has_ordinary_profile
from daemon.capture.programs.processes import read_process

ALWAYS = 'user_pref("browser.privatebrowsing.autostart", true);\n'
NEVER = 'user_pref("browser.privatebrowsing.autostart", false);\n'
OTHER = 'user_pref("browser.startup.homepage", "https://example.org/*");\n'
PREFS, USER = "home/u/.mozilla/firefox/x.default/prefs.js", "home/u/.mozilla/firefox/x.default/user.js"
AUTOCONFIG = "usr/lib/firefox-esr/defaults/pref/autoconfig.js"
MORE = 'pref("general.config.filename", "mozilla.cfg");\n'
POLICIES = "etc/firefox/policies/policies.json"


def browser(proc: Path, pid: int = 50, files: dict[str, str] | None = None, *, lock: bool = True) -> Path:
    process = proc / str(pid)
    inside = process / "root"
    for name, text in ({"usr/lib/firefox-esr/omni.ja": "", PREFS: OTHER} | (files or {})).items():
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_text(text)
    (process / "fd").mkdir()
    (process / "fd" / "3").symlink_to("/dev/null")
    if lock:
        (process / "fd" / "4").symlink_to(f"/{Path(PREFS).parent}/.parentlock")
    (process / "exe").symlink_to("/usr/lib/firefox-esr/firefox-esr")
    (process / "cmdline").write_bytes(b"firefox-esr\0")
    (process / "stat").write_text(f"{pid} (fire fox) " + " ".join(map(str, range(30))))
    return proc


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({}, True, id="as it comes"),
        pytest.param({PREFS: ALWAYS}, False, id="never remember history"),
        pytest.param({PREFS: OTHER + NEVER}, True, id="remember again"),
        pytest.param({USER: ALWAYS}, False, id="by user.js"),
        pytest.param({USER: f"// {ALWAYS}/* {ALWAYS} */"}, True, id="in a comment"),
        pytest.param({PREFS: OTHER + ALWAYS}, False, id="after a text that looks like a comment"),
        pytest.param({USER: "user_pref('browser.privatebrowsing.autostart',true)"}, False, id="in single quotes"),
        pytest.param({USER: NEVER, PREFS: ALWAYS}, False, id="one against the other"),
        pytest.param(
            {"usr/lib/firefox-esr/mozilla.cfg": '\nlockPref("browser.privatebrowsing.autostart", true);'},
            False,
            id="by who installed it",
        ),
        pytest.param({AUTOCONFIG: MORE + 'pref("general.config.obscure_value", 0);'}, True, id="a further file, plain"),
        pytest.param({AUTOCONFIG: MORE}, False, id="a further file in a cipher"),
        pytest.param({AUTOCONFIG: MORE.replace(".cfg", ".txt")}, False, id="a further file of another name"),
        pytest.param({"etc/firefox-esr/site.js": ALWAYS.replace("user_", "")}, False, id="by the distribution"),
        pytest.param(
            {"home/u/.mozilla/firefox/overrides.cfg": ALWAYS.replace("user_", "default")}, False, id="by overrides"
        ),
        pytest.param({POLICIES: '{"policies": {"PrivateBrowsingModeAvailability": 2}}'}, False, id="by policy: always"),
        pytest.param({POLICIES: '{"policies": {"PrivateBrowsingModeAvailability": 1}}'}, True, id="by policy: never"),
        pytest.param(
            {POLICIES: '{"policies": {"Preferences": {"browser.privatebrowsing.autostart": {"Value": true}}}}'},
            False,
            id="by a preference in a policy",
        ),
        pytest.param({PREFS: " " * (8 << 20) + ALWAYS}, False, id="too large to be read"),
    ],
)
def test_a_profile_is_ordinary_where_nothing_makes_it_always_private(
    tmp_path: Path, files: dict[str, str], *, expected: bool
) -> None:
    """Whatever sets the preference counts, and what looks like it does not."""
    assert read_process(50, browser(tmp_path, files=files)).ordinary_profile is expected


def test_what_cannot_be_found_proves_nothing(tmp_path: Path) -> None:
    """No lock, no program of that family, no process."""
    assert not has_ordinary_profile(50, browser(tmp_path, 50, lock=False))
    (browser(tmp_path, 51) / "51/root/usr/lib/firefox-esr/omni.ja").unlink()
    assert not has_ordinary_profile(51, tmp_path)
    (browser(tmp_path, 52) / "52" / "root" / PREFS).unlink()
    (tmp_path / "52" / "root" / PREFS).mkdir()
    assert not has_ordinary_profile(52, tmp_path), "a file that cannot be read"
    assert not has_ordinary_profile(99, tmp_path)


def test_a_process_stays_what_it_was_when_it_started(tmp_path: Path) -> None:
    """The preference is written at once and counts from the next start on; a process of the same number is another."""
    browser(tmp_path, files={PREFS: ALWAYS})
    assert not has_ordinary_profile(50, tmp_path)
    (tmp_path / "50" / "root" / PREFS).write_text(NEVER)
    assert not has_ordinary_profile(50, tmp_path)
    (tmp_path / "50" / "stat").write_text("50 (firefox) " + " ".join(map(str, range(100, 130))))
    assert has_ordinary_profile(50, tmp_path)


def test_a_browser_that_restarts_itself_is_looked_at_again(tmp_path: Path) -> None:
    """It stays the same process, begun at the same time, and reads the preference anew."""
    browser(tmp_path)
    assert has_ordinary_profile(50, tmp_path)
    (tmp_path / "50" / "root" / PREFS).write_text(ALWAYS)
    facts = [*map(str, range(25)), "4711", *map(str, range(26, 30))]
    (tmp_path / "50" / "stat").write_text(f"50 (firefox) {' '.join(facts)}")
    assert not has_ordinary_profile(50, tmp_path)
