"""A page of a browser whose title names the control that the pointer is on, as the page itself sees it."""

from collections.abc import Sequence
from html import escape

TITLE = "Registration"
NOTHING = "nothing"

CONTROLS: Sequence[tuple[str, str]] = (
    *(("button", name) for name in ("Sign up", "Cancel registration", "Show terms", "Upload picture", "Send code")),
    *(("entry", name) for name in ("User name", "E-mail address", "City", "Postal code", "Company", "Web site")),
    *(("check", name) for name in ("Accept the terms", "Receive the newsletter", "Stay signed in")),
    *(("radio", name) for name in ("Private account", "Business account")),
    *(("select", name) for name in ("Time zone", "Preferred language", "Country")),
    *(("link", name) for name in ("Forgot your password?", "Privacy policy", "Contact us", "Frequent questions")),
    *(("range", name) for name in ("Font size",)),
)
"""Kind and name of what is on the page."""

_INPUTS = {"entry": "text", "check": "checkbox", "radio": "radio", "range": "range"}


def page_html() -> str:
    """Return the page."""
    rows = "".join(f"<p>{_control(kind, escape(name), number)}</p>" for number, (kind, name) in enumerate(CONTROLS))
    return f"""<!doctype html><meta charset=utf-8><title>{TITLE}</title>
<style>body {{ columns: 2; font: 14px sans-serif }} p {{ margin: 0 0 12px }}</style>
{rows}
<script>
document.addEventListener("mousemove", event => {{
  const found = event.target.closest("[data-name]");
  document.title = "{TITLE}: " + (found ? found.dataset.name : "{NOTHING}");
}});
</script>"""


def _control(kind: str, name: str, number: int) -> str:
    mark = f'id=c{number} data-name="{name}"'
    if kind == "button":
        return f"<button {mark}>{name}</button>"
    if kind == "link":
        return f'<a href="#" {mark}>{name}</a>'
    if kind == "select":
        return f"<label for=c{number}>{name}</label> <select {mark}><option>one<option>two</select>"
    return f"<label for=c{number}>{name}</label> <input type={_INPUTS[kind]} {mark}>"
