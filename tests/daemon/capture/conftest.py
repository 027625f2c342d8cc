"""Runs tests that are coroutines, each in a loop of its own, in which its asynchronous fixtures are open."""

import asyncio
import inspect
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine to its end, with what its fixtures open; leave others to pytest."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    async def run() -> None:
        async with AsyncExitStack() as opened:
            for name, value in given.items():
                if isinstance(value, AbstractAsyncContextManager):
                    given[name] = await opened.enter_async_context(value)
            await pyfuncitem.obj(**given)

    asyncio.run(run())
    return True
