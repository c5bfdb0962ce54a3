-- Prints the outcome of a run of wrk as one line: requests a second, the 99th percentile of the latency in
-- milliseconds, and the number of requests that had no answer or an answer that was no success.

-- Each thread has a number, `thread`, by which its requests differ from those of the others.
local threads = 0
function setup(thread)
    thread:set("thread", threads)
    threads = threads + 1
end

function done(summary, latency, requests)
    local errors = summary.errors
    io.stderr:write(string.format("%.1f %.3f %d\n", summary.requests * 1e6 / summary.duration,
        latency:percentile(99) / 1000, errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
