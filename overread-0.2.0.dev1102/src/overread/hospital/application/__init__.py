"""Compares versions of reports in a hospital, every day, and losing nothing.

Where to begin: `service` is what everybody calls, `requests` what goes in and comes out, `ports` what a store must do.
The service is put together of use cases, a module a kind of call: `submitting`, `ingesting`, `looking`, `reviewing`,
`counting` (with `sampling`, `rates` and `grouping`), `keeping` and `working`; all share one `ServiceContext`. `workers`
and `delivering` go on by themselves. `aio` is the service for asyncio, `access` and `permissions` say who may do what.
"""
