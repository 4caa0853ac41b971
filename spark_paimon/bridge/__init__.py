"""The Python process behind Spark's catalog; the only room that knows py4j.

The JVM starts ``python -m spark_paimon.bridge`` once for each driver and calls one method,
``call(operation, json, object)``, from as many threads as it likes.

===============  ==========================================================================
module           holds
===============  ==========================================================================
``messages``     request and response of every operation
``service``      the table of operations; one call from JSON to JSON, errors included
``databases``    operations on databases
``tables``       operations on tables, and what Spark is told about one
``definitions``  what Spark says about a new or changed table, in our terms
``partitions``   partition statements
``scans``        planning of scans, metadata tables
``writes``       begin, commit and abort of writes; tables that are created with their rows
``procedures``   ``CALL``, ``ANALYZE`` and ``MSCK``
``executors``    work that goes to the executors of the calling session
``process``      start, logging and end of the process
===============  ==========================================================================
"""
