"""What a dialog or a message is about: by role first, then by a short list of words. Pure.

The words are those of the languages most desktops run in. A text in another language is `OTHER`: less is known, nothing
is wrong. Matching is by beginnings of words, without case, so that "fail" finds "failed" and not "unfailing".
"""

import re
from collections.abc import Iterable

from storage.records import ControlRole, MessageClass

MAX_TEXT = 2000
"""So much of a text is looked at; what matters stands at its beginning."""

_ERROR = (
    *("abort", "already in use", "already used", "an error", "cannot", "can't", "could not", "couldn't", "crash"),
    *("denied", "does not exist", "doesn't", "err:", "error", "exception", "fail", "fatal", "forbidden", "illegal"),
    *("incorrect", "invalid", "malformed", "mismatch", "missing", "must be", "must not", "no matches", "no results"),
    *("no such", "not allowed", "not found", "not permitted", "not recogni", "not supported", "not valid"),
    *("nothing found", "out of range", "please enter", "please fill", "please select", "refused", "rejected"),
    *("required", "syntax", "too long", "too short", "traceback", "unable", "undefined", "unexpected", "unknown"),
    *("unresolved", "unsupported", "wrong"),
    *("fehler", "fehlgeschlagen", "konnte nicht", "kann nicht", "nicht gefunden", "ungültig", "verweigert", "falsch"),
    *("bereits verwendet", "nicht unterstützt"),
    *("erreur", "échec", "échoué", "impossible", "introuvable", "invalide", "refusé", "incorrecte"),
    *("errore", "impossibile", "non riuscit", "non trovat", "non valid", "fallit"),
    *("erro", "falha", "falhou", "não encontrad", "não foi possível", "inválid", "incorret"),
    *("fallo", "falló", "no se pudo", "no encontrad", "no válid", "incorrect"),
    *("fout", "mislukt", "kan niet", "ongeldig", "niet gevonden"),
    *("błąd", "nie można", "nie znaleziono", "nieprawidłow"),
    *("ошибк", "не удалось", "не найден", "невозможно", "неверн"),
    *("エラー", "失敗", "できません", "错误", "失败", "无法", "錯誤", "失敗", "無法", "오류", "실패"),
)
_WARNING = (
    *("attention", "careful", "caution", "warning", "will be lost"),
    *("warnung", "achtung", "avertissement", "avviso", "attenzione", "aviso", "advertencia", "waarschuwing"),
    *("ostrzeżenie", "предупреждение", "внимание", "警告", "경고"),
)
_PROGRESS = (
    *("copying", "downloading", "installing", "loading", "please wait", "processing", "progress", "saving"),
    *("updating", "fortschritt", "wird geladen", "bitte warten", "chargement", "patientez", "caricamento"),
    *("carregando", "cargando", "espere", "bezig met", "загрузка", "подождите", "正在", "読み込み", "로드"),
)
_SECRET = (
    *("passcode", "passphrase", "password", "passwort", "kennwort", "mot de passe", "contraseña", "senha"),
    *("wachtwoord", "hasło", "lösenord", "adgangskode", "passord", "salasana", "heslo", "пароль"),
    *("密码", "密碼", "パスワード", "비밀번호"),
)
_PASSWORD = (*("credential", "log in", "login", "sign in", "unlock", "anmeld", "connexion"), *_SECRET)
_QUESTION = (
    *("are you sure", "do you want", "do you really", "would you like", "question", "save changes", "save the changes"),
    *("möchten sie", "wollen sie", "soll ", "voulez-vous", "souhaitez-vous", "vuoi ", "volete", "deseja", "desea"),
    *("quiere ", "wilt u", "czy ", "хотите", "是否", "ますか", "겠습니까"),
)
_UNDO = (
    *("undo", "rückgängig", "annuler", "annulla", "desfazer", "anular", "deshacer", "ongedaan maken", "cofnij"),
    *(
        "отменить",
        "撤销",
        "撤消",
        "復原",
        "元に戻す",
        "실행 취소",
        "ångra",
        "fortryd",
        "angre",
        "kumoa",
        "zpět",
        "vrátit",
    ),
)


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Match any of the words at the beginning of a word; scripts without spaces anywhere."""
    spaced = sorted(map(re.escape, (word for word in words if word < "\u3000")), key=len, reverse=True)
    dense = [re.escape(word) for word in words if word >= "\u3000"]
    return re.compile("|".join([rf"(?<!\w)(?:{'|'.join(spaced)})", *dense]), re.IGNORECASE)


_CLASSES = (
    (MessageClass.ERROR, _pattern(_ERROR)),
    (MessageClass.WARNING, _pattern(_WARNING)),
    (MessageClass.PROGRESS, _pattern(_PROGRESS)),
)
_IS_PASSWORD = _pattern(_PASSWORD)
_IS_SECRET = _pattern(_SECRET)
_IS_QUESTION = _pattern(_QUESTION)
_IS_UNDO = re.compile(
    rf"\s*(?:{'|'.join(sorted(map(re.escape, _UNDO), key=len, reverse=True))})\s*[:\-\u2013\u2014]\s*(\S.*)",
    re.IGNORECASE,
)


def class_of_message(text: str) -> MessageClass:
    """Return what a text in a window is about."""
    shown = text[:MAX_TEXT]
    return next((found for found, pattern in _CLASSES if pattern.search(shown)), MessageClass.OTHER)


def names_secret(text: str) -> bool:
    """Return whether the name or the label of a field says that a password goes into it."""
    return _IS_SECRET.search(text[:MAX_TEXT]) is not None


def class_of_dialog(title: str, text: str, *, asks_password: bool = False) -> MessageClass:
    """Return what a dialog is about; a password field in it goes before any word."""
    if asks_password:
        return MessageClass.PASSWORD
    shown = f"{title[:MAX_TEXT]}\n{text[:MAX_TEXT]}"
    found = class_of_message(shown)
    if found in (MessageClass.ERROR, MessageClass.WARNING):
        return found
    if _IS_QUESTION.search(shown) or "?" in text:
        return MessageClass.QUESTION
    return MessageClass.PASSWORD if _IS_PASSWORD.search(shown) else found


def is_error_role(role: ControlRole) -> bool:
    """Return whether a program shows such a control only to say something."""
    return role in (ControlRole.ALERT, ControlRole.NOTIFICATION)


def undo_label(name: str) -> str | None:
    """Return what an undo would take back, from the name of its menu entry ("Undo: Typing"); None if it is none."""
    found = _IS_UNDO.match(name[:MAX_TEXT])
    return found.group(1).strip() if found else None
