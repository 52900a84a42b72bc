-- The file in REQUEST is posted again and again; at the end one line of JSON says how it went.
local file = assert(io.open(os.getenv("REQUEST"), "rb"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()

function done(summary, latency)
  local failed = 0
  for _, count in pairs(summary.errors) do failed = failed + count end
  io.write(string.format('\nFOUND {"per_s": %.1f, "p50_ms": %.3f, "p99_ms": %.3f, "failed": %d}\n',
    summary.requests * 1e6 / summary.duration, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, failed))
end
