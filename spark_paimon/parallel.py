"""Bounded concurrent work that stops starting when something fails, and errors that travel together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import TypeVar

Progress = Callable[[str, int, "int | None"], None]
"""Called with what is being done, how much of it is done, and how much there is if that is known."""


def no_progress(_what: str, _done: int, _total: int | None) -> None:
    """Say nothing."""


_Input = TypeVar("_Input")
_Output = TypeVar("_Output")


def map_ordered(
    function: Callable[[_Input], _Output], items: Iterable[_Input], parallelism: int
) -> list[_Output]:
    """Apply ``function`` to every item and return the results in the order of the items.

    Parameters
    ----------
    function
        Called on up to ``parallelism`` threads at once; with 1 on the caller's thread alone.
    items
        Taken one by one on the caller's thread, and only as fast as there is room for them.
    parallelism
        Calls at once, at least 1.

    Raises
    ------
    Exception
        The first failure, of ``function`` or of taking an item. Nothing new is started after it; what runs is
        waited for, and its failures are attached to the first one.

    Examples
    --------
    >>> map_ordered(str, [1, 2, 3], parallelism=2)
    ['1', '2', '3']
    """
    if parallelism <= 1:
        return [function(item) for item in items]
    results: dict[int, _Output] = {}
    failures: list[BaseException] = []
    running: dict[Future[_Output], int] = {}

    def collect(done: Iterable[Future[_Output]]) -> None:
        for future in done:
            position = running.pop(future)
            failure = future.exception()
            if failure is not None:
                failures.append(failure)
            else:
                results[position] = future.result()

    with ThreadPoolExecutor(max_workers=parallelism) as pool:
        try:
            for position, item in enumerate(_until(items, failures)):
                running[pool.submit(function, item)] = position
                if len(running) >= parallelism:
                    collect(wait(running, return_when=FIRST_COMPLETED).done)
                if failures:
                    break
        except Exception as error:
            failures.append(error)
        collect(wait(running).done)
    if failures:
        raise attach(failures)
    return [results[position] for position in range(len(results))]


def reporting(
    function: Callable[[_Input], _Output], what: str, total: int, progress: Progress
) -> Callable[[_Input], _Output]:
    """The same function; progress is told each time it has worked, by one thread at a time.

    Examples
    --------
    >>> map_ordered(reporting(str.upper, "words", 2, print), ["a", "b"], parallelism=1)
    words 1 2
    words 2 2
    ['A', 'B']
    """
    lock = Lock()
    done = 0

    def work(item: _Input) -> _Output:
        nonlocal done
        result = function(item)
        with lock:
            done += 1
            progress(what, done, total)
        return result

    return work


def _until(items: Iterable[_Input], failures: Sequence[BaseException]) -> Iterator[_Input]:
    """The items, until a failure is known: taking one may itself be work, such as a listing."""
    iterator = iter(items)
    while not failures:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


def attempt_all(
    function: Callable[[_Input], object], items: Iterable[_Input], parallelism: int = 1
) -> list[Exception]:
    """Apply ``function`` to every item whatever happens; return the failures in the order of the items."""

    def attempt(item: _Input) -> Exception | None:
        try:
            function(item)
        except Exception as error:
            return error
        return None

    return [error for error in map_ordered(attempt, items, parallelism) if error is not None]


def attach(failures: Sequence[BaseException]) -> BaseException:
    """Return the first failure with the others attached to it.

    The others are in its attribute ``suppressed``, and their texts in ``__notes__``, which Python 3.11 and
    later print below a traceback (3.10 keeps the attribute and prints nothing).

    Examples
    --------
    >>> error = attach([ValueError("a"), KeyError("b")])
    >>> error, error.suppressed
    (ValueError('a'), (KeyError('b'),))
    """
    first, *others = failures
    new = [error for error in others if error is not first]
    if new:
        known: tuple[BaseException, ...] = getattr(first, "suppressed", ())
        notes: list[str] = list(getattr(first, "__notes__", []))
        notes += [f"Suppressed: {type(error).__name__}: {error}" for error in new]
        first.suppressed = (*known, *new)  # type: ignore[attr-defined]
        # Not add_note(), which Python 3.10 does not have.
        first.__notes__ = notes  # type: ignore[attr-defined]
    return first
