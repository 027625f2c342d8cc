"""The client of a model server: sends a query within a deadline and a budget, and logs every request first.

A query takes five steps: `endpoint` (deadline, one query at a time, retries by the rules of `retry`), `exchange` (log,
count, send, judge), a dialect (bytes), `transport` (HTTP), and `prompting.reply_parser`. Imports `questions`,
`protocol`, `presets`, `dialects` and `prompting`; alone imports httpx2, so nothing is re-exported here. Begin reading
in `endpoint`.
"""

__all__ = ["address", "endpoint", "exchange", "keys", "retry", "spending", "transport"]
