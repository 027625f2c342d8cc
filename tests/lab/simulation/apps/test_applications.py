"""What each application answers: wrong acts are refused or do nothing, each time the same, and the right one works."""

import random
from collections.abc import Callable, Mapping

import pytest

from lab.simulation.apps.catalog import REGIONS, Catalog
from lab.simulation.apps.login import ADDRESS, SECRET, Login
from lab.simulation.apps.model import AppLogic, Effect, Event, Kind, Op
from lab.simulation.apps.settings import SettingsApp
from lab.simulation.apps.signup import Signup
from lab.simulation.apps.snippets import MISTAKES, PROGRAM, Snippets
from lab.simulation.apps.stock import LIMIT, Stock
from lab.simulation.apps.wizard import KINDS, Wizard

APPS: tuple[Callable[[random.Random], AppLogic], ...] = (
    *(Signup, Login, Catalog, Snippets, Wizard, Stock, SettingsApp),
)
FORM = {"mail": "a@example.org", "birth": "24.12.1990", "phone": "+49 211 123456", "terms": "on"}


def do(logic: AppLogic, control: str, values: Mapping[str, str] | None = None) -> list[Effect]:
    return list(logic.handle(Event(control=control, values=values or {})))


@pytest.mark.parametrize("app", APPS)
def test_a_description_names_each_control_once_and_has_a_button(app: Callable[[random.Random], AppLogic]) -> None:
    """A view finds every control by its name."""
    for seed in range(5):
        pages = app(random.Random(seed)).description.pages
        controls = [control for page in pages for control in (*page.controls, *page.bar)]
        assert len({control.name for control in controls}) == len(controls)
        assert all(any(control.kind is Kind.BUTTON for control in page.bar) for page in pages)
        assert all(control.value in control.rows for control in controls if control.kind is Kind.CHOICE)


def test_the_form_takes_one_spelling_and_its_button_wants_the_terms() -> None:
    form = Signup(random.Random(1))
    assert do(form, "submit", {**FORM, "terms": ""}) == []
    for field, wrong in (("birth", "1990-12-24"), ("phone", "0211 123456"), ("mail", "anna")):
        assert do(form, "submit", {**FORM, field: wrong})
    assert (form.refused, form.succeeded) == (3, 0)
    assert any(effect.op is Op.STATUS and "created" in effect.text for effect in do(form, "submit", FORM))
    assert form.succeeded == 1


def test_signing_in_wants_the_address_and_brings_the_same_dialog() -> None:
    page = Login(random.Random(2))
    refusals = [do(page, "enter", {"user": "anna", "secret": SECRET}) for _ in range(2)]
    refusals.append(do(page, "secret", {"user": ADDRESS, "secret": "garden-41"}))
    dialogs = [effect.text for effects in refusals for effect in effects if effect.op is Op.DIALOG]
    assert len(dialogs) == 3
    assert len(set(dialogs)) == 1
    assert Effect(op=Op.PAGE, control="hours") in do(page, "enter", {"user": ADDRESS, "secret": SECRET})


def test_a_filter_elsewhere_hides_everything() -> None:
    shop = Catalog(random.Random(3))
    do(shop, "region", {"region": REGIONS[1]})
    assert do(shop, "find", {"words": "lamp"})[0].rows == ()
    do(shop, "region", {"region": REGIONS[0]})
    assert do(shop, "find", {"words": "lamp"})[0].rows
    assert do(shop, "find", {"words": "sofa"})[0].rows == ()
    assert shop.refused == 2


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_an_error_stays_until_its_cause_is_mended(mistake: str) -> None:
    checker = Snippets(random.Random(4))
    number, wrong = MISTAKES[mistake]
    lines = [*PROGRAM[:number], wrong, *PROGRAM[number + 1 :]]
    first = do(checker, "check", {"script": "\n".join(lines)})[0].rows
    edited = [f"{line}  # sum" if at == 3 else line for at, line in enumerate(lines)]
    assert do(checker, "check", {"script": "\n".join(edited)})[0].rows == first
    assert first[-1] == "1 error"
    do(checker, "check", {"script": "\n".join(PROGRAM)})
    assert (checker.refused, checker.succeeded) == (2, 1)


def test_the_third_page_refuses_for_a_reason_on_the_first() -> None:
    wizard = Wizard(random.Random(5))
    for number in (0, 1):
        do(wizard, f"next_{number}", {"kind": KINDS[0]})
    for _ in range(3):
        do(wizard, "next_2", {"kind": KINDS[0], "pictures": "on"})
    assert (wizard.page, wizard.refused) == (2, 3)
    right = {"kind": KINDS[wizard.needed]}
    do(wizard, "next_2", right)
    do(wizard, "next_3", right)
    assert (wizard.page, wizard.succeeded) == (0, 1)


def test_a_count_wants_a_row_the_edit_mode_and_a_whole_number_within_the_limit() -> None:
    stock = Stock(random.Random(6))
    row = f"Nails: {stock.counts['Nails']}"
    assert do(stock, "apply", {"rows": row, "count": "7"}) == []
    assert do(stock, "plus", {"rows": "", "edit": "on"}) == []
    for wrong in ("7.0", "seven", "", str(LIMIT + 1)):
        do(stock, "apply", {"rows": row, "count": wrong, "edit": "on"})
    assert (stock.refused, stock.succeeded) == (4, 0)
    do(stock, "apply", {"rows": row, "count": "7", "edit": "on"})
    do(stock, "plus", {"rows": "Nails: 7", "edit": "on"})
    assert stock.counts["Nails"] == 8


def test_a_switch_does_nothing_until_another_is_on() -> None:
    page = SettingsApp(random.Random(7))
    alone = do(page, "apply", {"theme": "Plain", "large": "on"})
    both = do(page, "apply", {"theme": "Plain", "large": "on", "advanced": "on"})
    assert "large" not in alone[0].text
    assert "large" in both[0].text
    assert (page.refused, page.succeeded) == (1, 1)
