"""Reduces what a model wrote, which the screen may have dictated, to plain text of limited length.

Nothing runs or opens these words; they are shown as plain text, marked as a model's. Even so a card must not lend
credit to a link or a command, so what can be told from words is removed, and a text with a command line is dropped:
addresses with a scheme, a path, a port or a usual ending behind a host; mark-up; a known program followed by an option
or a path, and whatever only a shell writes. A command of plain words ("poweroff"), an unknown program's, and a name
with a dot in it ("report.txt", "evil.example") cannot be told from words, and stay. That nothing is run or opened does
not rest on these lists.
"""

import html
import re
import unicodedata
from collections.abc import Callable

ELLIPSIS = "..."
_READ_TIMES = 8  # input beyond this multiple of the limit is dropped unread
_PASSES = 8  # removing one thing can make another appear; what has not settled by then is no plain text
_MARKS = 2  # combining marks on one letter; more than that cover the lines around them

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that Unicode counts as letters, marks or symbols and that are displayed as nothing or as a blank."""

_ESCAPES = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b.?")

_DOT = r"(?:[.\u3002]|\s?[\[(]\s?(?:\.|dot)\s?[\])]\s?)"
_SPOKEN = r"\b[\w-]{1,63}\s+dot\s+(?:com|net|org|info|io)\b"
_LABEL = r"[\w-]{1,63}"
_ENDINGS = (
    "ai|app|biz|cc|cf|click|club|cn|co|com|de|dev|edu|eu|fr|gg|gov|gq|icu|info|io|ly|mil|net|nl|onion|online|org|pl|pw|ru"
    "|sh|shop|store|su|tk|tv|uk|vip|ws|xyz"
    "|(?-i:it|link|live|me|site|to|top|us)"  # in capitals these rather begin a sentence
)
_LINKS = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{0,20})?:[\\/]{2}\S*"  # any scheme with its two slashes, and these alone
    r"|\b(?:javascript|vbscript|data|mailto|tel|sms|file|about|blob|view-source|magnet|ms-[a-z-]{1,40}|vscode|chrome|edge"
    r"|intent|ipfs|skype|facetime|bitcoin):\S+"
    rf"|www\d{{0,2}}{_DOT}\S*"
    rf"|[^\s@]{{1,64}}@{_LABEL}{_DOT}\S+"
    rf"|[\\/]{{2}}{_LABEL}(?:\.{_LABEL}){{0,6}}[\\/]\S*"  # \\server\share, //host/path
    rf"|\b(?:{_LABEL}{_DOT}){{1,6}}(?:{_ENDINGS})\b(?:[:/?#]\S*)?"
    rf"|\b(?:{_LABEL}{_DOT}){{1,6}}[^\W\d_][\w-]{{1,62}}(?:[\\/]\S*|:\d{{2,5}}\b\S*)"  # a host and what is there
    r"|\blocalhost(?::\d|[\\/])\S*|\b[a-z][\w-]{0,62}:\d{2,5}/\S*|\[[0-9a-f]{0,4}(?::[0-9a-f.]{0,15}){2,8}\]\S*"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b(?:[:/]\S*)?"
    rf"|{_SPOKEN}"
    r"|\b[a-z][a-z0-9]*(?:[-+.][a-z0-9]+)+:[^\s/]\S*"  # a scheme that no word looks like
    r"|\+\d[\d ()-]{7,20}\d|(?:\b1[-. ])?\(?\b\d{3,4}\)?[-. ]\d{3}[-. ]\d{4}\b",  # a telephone number
    re.IGNORECASE,
)
_PROGRAMS = (
    "apt|apt-get|awk|base64|bash|bcdedit|brew|busybox|cat|cargo|chattr|chgrp|chmod|chown|chrome|chromium|cmd|cp|crontab|cscript"
    "|cipher|cryptsetup|dash|deno|dd|del|dnf|doas|docker|dpkg|emacs|emerge|env|erase|eval|exec|fdisk|find|firefox|fish|flatpak|format|gem|git|gpg"
    "|icacls|insmod|ip|iptables|julia|kill|kubectl|ln|lua|make|mkdir|modprobe|mount|msiexec|mv|mysql|nano|nc|ncat|nft|node|nohup|npm|npx"
    "|openssl|osascript|pacman|parted|passwd|perl|php|pip|pip3|pipx|pkill|podman|psql|python|python3|rd|reboot|reg|rm"
    "|rmdir|rpm|rsync|ruby|schtasks|scp|sed|setfacl|sftp|sh|shred|shutdown|snap|socat|source|ssh|su|swapoff|systemctl|takeown|tar"
    "|taskkill|tee|telnet|tmux|truncate|sysctl|ssh-keygen|ufw|umount|unlink|unzip|useradd|userdel|usermod|vim|vssadmin|wget|wipefs"
    "|wmic|wscript|xargs|yum|zsh|zypper"
)
_COMMANDS = re.compile(
    r"\b(?:sudo|pkexec|mkfs\S*|powershell|pwsh|mshta|certutil|regsvr32|rundll32|iex|remove-item|set-executionpolicy)\b"
    r"|\b(?:" + _PROGRAMS + r")(?:\.exe)?\s+"
    r"(?:(?:\w+\s+){0,2}(?:-{1,2}[a-z\d]|/[a-z]{1,3}\b)|\+[a-z']|(?:~|\.{1,2})?/(?:[\w.*~]|\s*$|\s+[-/])|~|\*|[a-z]:(?:\s|/|$)|\$|install\b)"
    r"|\bchmod\s+(?:[0-7]{3,4}\b|[ugoa]*[+=-][rwxst])|\bchown\s+[\w.-]*:|\bfind\s+[.~/]\S*\s+-"
    r"|\b(?:git\s+(?:clone|clean|config|pull|push|rebase|reset|submodule)|npm\s+i|npx|uvx|bunx|setenforce|visudo)\s+[\w.@-]"
    r"|\b(?:apk|bun|composer|emerge|guix)\s+(?:add|del|install|remove|require|run|x)\b|\b(?:julia|tclsh|wine)\s+\S+\.\w"
    r"|%0[ad]|\bms-[\w-]+:|\bshell:\w|\b(?:hyperlink|import(?:data|html|range|xml)|webservice)\s*\(|\b(?:setx|socat)\s+\S"
    r"|\b(?:terraform|gcloud|insmod|modprobe|nft|wmic|nmcli|rfkill|loginctl|launchctl|diskpart|netsh|ufw|(?:user|group)(?:add|del|mod))\s+[a-z]"
    r"|\bip\s+(?:addr|link|route)\s+(?:add|del|flush|set)\b|\bservice\s+\S+\s+(?:re)?st(?:art|op)\b|\bdefaults\s+write\b"
    r"|\bgio\s+(?:open|remove|set|trash)\s"
    r"|\b(?:bash|node|perl|php|python[\d.]*|ruby|sh|source)\s+\S+\.(?:js|mjs|php|pl|pyw?|rb)\b|\btar\s+-?[xct][a-z]*f\b"
    r"|\b(?:kill|telnet\s+\S+)\s+\d|\b(?:ssh|scp|sftp)\s+\S*[@:]|\bumount\s+/|\bld_\w+=|\b(?-i:DROP\s+(?:TABLE|DATABASE)\s+\w)"
    r"|\b(?:docker|podman|kubectl|systemctl)\s+(?:run|exec|rm|rmi|st(?:art|op)|kill|pull|system|delete|apply|mask|disable|compose)\b"
    r"|\b(?:apt|apt-get|dnf|yum|zypper|snap|flatpak|pip|pip3|pipx|npm|brew)\s+(?:remove|rm|uninstall|purge|erase|run|exec)\b"
    r"|\brm\s+\S*[.*/]\w|\bshutdown\s+now\b|\b(?:killall|pkill|doas|busybox|xargs)\s+[\w-]|\bxdg-\w+\s+\S"
    r"|\b(?:gsettings|dconf)\s+(?:set|reset|write|load)\b"
    r"|\b(?:reg|net|sc)\s+(?:add|delete|user|localgroup)\b"
    r"|\b(?:curl|wget|iwr|invoke-\w+|start-process|new-object)\s+\S"
    r"|\bdd\s+(?:if|of|bs)=|\b(?:alias|export)\s+\w+="
    r"|\|\s*(?:\S*/)?(?:env\s+)?(?:(?:ba|z|da|k|c|tc|fi|a)?sh\b|(?-i:(?:python3?|perl|ruby|node|php|xargs|tee|nc)\b))"
    r"|\$\(|\$\{|\$IFS\b|&&|\|\||;\s*(?:rm|curl|wget|sh|bash)\b|:\s?\(\)|[<\u2039]\(|<<|\u2039\u2039"
    r"|[>\u203a]{1,2}\s?(?:~|/\w)|(?:^|\s)--[a-z][\w-]+"
    r"|\b(?:eval|exec|system|popen|__import__)\s*\(|[=@+*]\s*\w+\|",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"[\"'\\^`]")  # a shell reads r''m and \\rm as rm
_TAGS = re.compile(r"</?[a-z!?][^<>]*>|<!--.*?-->", re.IGNORECASE)
_PICTURE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\]\s?\([^()]*\)")
_LINE_MARKS = re.compile(r"^[ \t]*(?:#{1,6}|>+|[-*+]|\d{1,3}\.)[ \t]+(?=\S)", re.MULTILINE)
_MARK_UP = re.compile(r"\*\*|__|~~|`+")
_UP = re.compile(r"(?<!\.)\.{2,}[\\/]+|[\\/]\.{2,}")
_SWAPPED = str.maketrans({"<": "\u2039", ">": "\u203a", "{": "(", "}": ")"})  # quotation marks that look like them


def plain_text(text: str, limit: int) -> str:
    """Return one line of plain words in at most `limit` characters; empty if nothing harmless is left.

    It is idempotent.
    """
    result = text[: _READ_TIMES * limit]
    for _ in range(_PASSES):
        before, result = result, _cut(_cleaned(result), limit)
        if result == before:
            return "" if _COMMANDS.search(result) or _COMMANDS.search(_QUOTES.sub("", result)) else result
    return ""


def plain_name(text: str, limit: int = 80) -> str:
    """Return a model's name as a server gave it, reduced to the characters of names; not for use as a path."""
    result = re.sub(r"\.{2,}", "", re.sub(r"[^A-Za-z0-9._:/@+ -]", "", text[:limit]))
    return result.strip("./ -")


def one_line(text: str, limit: int) -> str:
    """Return text from a data set or from us as one line without control or invisible signs, cut to `limit`.

    This leaves words as they are; it is for what models read, not for what they wrote.
    """
    return _cut(" ".join(_visible(text[: _READ_TIMES * limit]).split()), limit)


def _cleaned(text: str) -> str:
    steps: tuple[Callable[[str], str], ...] = (
        html.unescape,
        lambda words: _ESCAPES.sub(" ", words),
        lambda words: _LINE_MARKS.sub(" ", words),
        lambda words: _visible(unicodedata.normalize("NFKC", words)),
        lambda words: _PICTURE_OR_LINK.sub(r"\1", words),
        lambda words: _TAGS.sub(" ", words),
        lambda words: _LINKS.sub(" ", words),
        lambda words: _UP.sub(" ", words),
        lambda words: _MARK_UP.sub("", words),
        lambda words: words.translate(_SWAPPED),
    )
    for step in steps:
        text = step(text)
    return " ".join(text.split())


def _visible(text: str) -> str:
    """Drop invisible and direction-changing characters and excess marks; replace control characters by spaces."""
    if text.isascii() and text.isprintable():
        return text
    result: list[str] = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        if category in ("Cf", "Cs", "Co", "Cn") or character in _INVISIBLE:
            continue
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks <= _MARKS:
            result.append(" " if category in ("Cc", "Zl", "Zp", "Zs") else character)
    return "".join(result)


def _cut(text: str, limit: int) -> str:
    """Cut to `limit` with an ellipsis, behind a word if that leaves at least half of it."""
    if len(text) <= limit:
        return text
    short = text[: limit - len(ELLIPSIS)]
    space = short.rfind(" ")
    return short[: space if space > limit // 2 else limit].rstrip() + ELLIPSIS
