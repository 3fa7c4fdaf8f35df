-- What wrk does: posts the file that the first argument names, if there is one, and prints one
-- line of JSON at the end.

function init(args)
  if args[1] then
    local file = assert(io.open(args[1], "rb"))
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
    wrk.body = file:read("*a")
    file:close()
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('{"requests": %d, "seconds": %f, "p95_seconds": %f, "failed": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(95.0) / 1e6, failed))
end
