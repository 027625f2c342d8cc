"""LibreOffice Writer that says on its output which shortcuts it understood: `python -m ...office_probe gtk3|gen`.

Macros of a profile of its own are bound to Ctrl with every letter, so that none does anything else; F12 ends a round.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from string import ascii_uppercase

from storage.clock import SystemClock
from tests.fakes.desktop.shortcut_probe import SHORTCUTS, TITLE, say

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LIBRARY = (
    '<!DOCTYPE library:{kind} PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "{kind}.dtd">\n'
    '<library:{kind} xmlns:library="http://openoffice.org/2000/library"'
)
_KEY = (
    '<item oor:path="/org.openoffice.Office.Accelerators/PrimaryKeys/{where}">'
    '<node oor:name="{key}" oor:op="replace"><prop oor:name="Command"><value xml:lang="en-US">'
    "vnd.sun.star.script:Standard.Module1.{name}?language=Basic&amp;location=application"
    "</value></prop></node></item>\n"
)
_FIRST = (
    '<item oor:path="/org.openoffice.Setup/Office"><prop oor:name="ooSetupInstCompleted" oor:op="fuse">'
    "<value>true</value></prop></item>\n"
    '<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="ShowTipOfTheDay" oor:op="fuse">'
    "<value>false</value></prop></item>\n"
)
_MODULE = "org.openoffice.Office.Accelerators:Module['com.sun.star.text.TextDocument']"


def write_profile(folder: Path, out: Path) -> None:
    """Write the macros, which append their name to `out`, and bind them."""
    names = {key: name for name, key in SHORTCUTS.items()}
    keys = {f"{key}_MOD1": names.get(key, "none") for key in ascii_uppercase} | {"F12": "end", "Z_SHIFT_MOD1": "redo"}
    subs = "".join(
        f'Sub {"r_" + name}\nn = FreeFile\nOpen "{out}" For Append As #n\nPrint #n, "{name}"\nClose #n\nEnd Sub\n'
        for name in {*SHORTCUTS, "none", "end"}
    )
    library = folder / "user/basic/Standard"
    library.mkdir(parents=True)
    (library / "Module1.xba").write_text(
        f'{_HEAD}<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd">\n'
        '<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1"'
        f' script:language="StarBasic">{subs.replace(chr(34), "&quot;")}</script:module>'
    )
    (library / "script.xlb").write_text(
        f"{_HEAD}{_LIBRARY.format(kind='library')} library:name='Standard' library:readonly='false'"
        " library:passwordprotected='false'><library:element library:name='Module1'/></library:library>"
    )
    (library.parent / "script.xlc").write_text(
        f"{_HEAD}{_LIBRARY.format(kind='libraries')} xmlns:xlink='http://www.w3.org/1999/xlink'>"
        "<library:library library:name='Standard' xlink:href='$(USER)/basic/Standard/script.xlb/' xlink:type='simple'"
        " library:link='false'/></library:libraries>"
    )
    places = ("Global", "Modules/" + _MODULE)
    bound = "".join(
        _KEY.format(where=where, key=key, name=f"r_{name}") for where in places for key, name in keys.items()
    )
    (folder / "user/registrymodifications.xcu").write_text(
        f'{_HEAD}<oor:items xmlns:oor="http://openoffice.org/2001/registry">\n{_FIRST}{bound}</oor:items>'
    )


def main(plugin: str) -> None:
    """Open Writer and print what its macros wrote."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out, text = folder / "out", folder / f"{TITLE}.txt"
        out.touch()
        text.touch()
        write_profile(folder / "profile", out)
        words = ["soffice", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--norestore", "--nologo"]
        environment = {**os.environ, "SAL_USE_VCLPLUGIN": plugin}
        with subprocess.Popen([*words, "--writer", str(text)], env=environment) as office, out.open() as said:
            while office.poll() is None:
                if line := said.readline():
                    say(line.strip())
                else:
                    SystemClock().sleep_s(0.02)


if __name__ == "__main__":
    main(sys.argv[1])
