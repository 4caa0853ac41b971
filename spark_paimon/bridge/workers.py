"""Functions that run in Spark's Python workers, as ``PythonWorkers.java`` wants them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from spark_paimon import errors
from spark_paimon.bridge.executors import python_session
from spark_paimon.bridge.messages import Json

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql.types import StructType

    BatchFunction = Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]

#: Stands before the JSON of an error in the text of an exception; the JVM looks for it.
ERROR_MARK = "spark_paimon error: "


class WorkerError(Exception):
    """An error of ours on its way to the JVM, which makes of it what the error's class says."""


def worker_function(jvm_session: Any, function: BatchFunction, result: StructType) -> Json:
    """Describe a function so that the JVM can run it in the workers of the calling session.

    Parameters
    ----------
    jvm_session
        The session of the call.
    function
        Takes and yields batches, picklable; its module has to be installed where the workers run. It may
        raise errors of this package: the statement then fails with their condition.
    result
        Columns of the yielded batches, which have exactly the types that
        ``pyspark.sql.pandas.types.to_arrow_schema(result, timezone="UTC")`` says.

    Returns
    -------
    dict
        ``{command (Base64), environment, includes, python, version}``.
    """
    from pyspark.serializers import CPickleSerializer

    context = python_session(jvm_session).sparkContext
    command = CPickleSerializer().dumps((_Reporting(function), result))  # type: ignore[no-untyped-call]
    return {
        "command": base64.b64encode(command).decode(),
        "environment": dict(context.environment),
        "includes": list(context._python_includes or ()),
        "python": context.pythonExec,
        "version": context.pythonVer,
    }


class _Reporting:
    """Runs in a Spark worker: a function whose errors the JVM recognises."""

    def __init__(self, function: BatchFunction) -> None:
        self._function = function

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        try:
            yield from self._function(batches)
        except errors.PaimonError as error:
            raise _reported(error) from error
        except OSError as error:  # a full disk, say, met by a library
            reason = error.strerror or str(error) or type(error).__name__
            told = errors.StorageError(
                "STORAGE_FAILED",
                operation="read or write",
                path=error.filename or "a data file",
                reason=reason,
            )
            raise _reported(told) from error


def _reported(error: errors.PaimonError) -> WorkerError:
    return WorkerError(ERROR_MARK + json.dumps(describe_error(error)))


def describe_error(error: errors.PaimonError) -> dict[str, Json]:
    """What the JVM is told about an error, without its traceback."""
    return {
        "condition": error.condition,
        "sqlState": error.sql_state,
        "class": error.java_class,
        "message": "\n".join(
            [str(error), *(f"Besides: {other}" for other in getattr(error, "suppressed", ()))]
        ),
        "parameters": error.parameters,
    }
