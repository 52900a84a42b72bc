"""HAProxy as the gateway's fast lane, where it is installed.

It takes callers in, carries the plain calls of services straight to their replicas, and leaves everything else (tokens,
rates, pages of other origins, WebSockets, large or streamed bodies, shadows, refusals) to the gateway behind it, which
is told who calls. What it knows, it is told over its socket, while it runs: it is never reloaded.
"""
