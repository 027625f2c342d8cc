"""Keys and pointer by pynput's two listeners, which call an `InputQueue` from threads of their own."""

import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any

from daemon.capture.input import InputQueue
from storage.errors import EnvironmentFault

logger = logging.getLogger(__name__)

_READY_S = 5.0


class InputListeners:
    """pynput's listeners for keys and pointer, feeding a queue."""

    def __init__(self, queue: InputQueue) -> None:
        """Start both, and return once events arrive."""
        try:
            from pynput import keyboard, mouse
        except ImportError as fault:
            raise _no_input("keys and pointer cannot be listened to on this display") from fault
        self._listeners = [
            _filtered(keyboard.Listener, queue.accepts)(on_press=queue.press, on_release=queue.release),
            _filtered(mouse.Listener, queue.accepts)(on_move=queue.move, on_click=queue.click, on_scroll=queue.scroll),
        ]
        for listener, name in zip(self._listeners, ("keys", "pointer"), strict=True):
            listener.name = name
            listener.start()
            waiting = threading.Thread(target=listener.wait, name=f"{name}-ready", daemon=True)
            waiting.start()
            waiting.join(_READY_S)  # pynput itself would wait for ever for a listener that died
            if waiting.is_alive() or not listener.is_alive():
                self.stop()
                raise _no_input(f"listening to {name} did not start")

    @property
    def alive(self) -> bool:
        """Whether both still listen."""
        return all(listener.is_alive() for listener in self._listeners)

    def stop(self) -> None:
        """End both, if they still run."""
        for listener in self._listeners:
            with contextlib.suppress(Exception):  # whatever a dead X connection raises here
                if listener.is_alive():
                    listener.stop()
        for listener in self._listeners:
            if listener.is_alive():
                threading.Thread.join(listener, 1.0)


def _filtered(listener_class: Any, accepts: Callable[[int], bool]) -> Any:
    """Return a listener class that drops events `accepts` refuses before decoding them, and ends silently."""

    class FilteredListener(listener_class):  # type: ignore[misc]  # pynput is untyped
        def run(self) -> None:
            try:
                super().run()
            except Exception as fault:  # noqa: BLE001  # the boundary of a thread that is not ours
                logger.debug("a listener ended: %s", type(fault).__name__)
            finally:
                for display in (getattr(self, "_display_stop", None), getattr(self, "_display_record", None)):
                    if display is not None:
                        display.display.socket.close()  # pynput leaves it open when the server is gone

        def _handle_message(self, display: Any, event: Any, injected: bool) -> None:
            if accepts(event.time):
                super()._handle_message(display, event, injected)

        def _stop_platform(self) -> None:
            """Disable recording over a connection of its own; pynput's own way ends only with the next event."""
            from Xlib.display import Display

            display = Display(self._display_record.get_display_name())
            try:
                display.record_disable_context(self._context)
                display.sync()
            finally:
                display.display.socket.close()

    return FilteredListener


def _no_input(what: str) -> EnvironmentFault:
    return EnvironmentFault(what, remedy="see kairos doctor", code="no_input")
