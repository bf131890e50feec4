"""HTTP, for whoever speaks it: bounded in time and size, to one place, by no other way than is given.

Importing this loads httpx2, so it is imported where something is about to be asked.
"""

from overread.httpclient._clients import Limits, open_async_client, open_client
from overread.httpclient._exchange import Answer, NoAnswer, exchange, exchange_async

__all__ = ["Answer", "Limits", "NoAnswer", "exchange", "exchange_async", "open_async_client", "open_client"]
