-- Logs in with the profiles user0, user1, … in turn. Each request has another client address in X-Forwarded-For, because
-- the service limits the login attempts of each address.
--
--     wrk … -s login.lua URL -- PROFILES
local path = string.match(debug.getinfo(1, "S").source, "^@(.*/)")
dofile(path .. "report.lua")

function init(arguments)
    count = 0
    profiles = tonumber(arguments[1])
end

function request()
    count = count + 1
    local headers = {
        ["Content-Type"] = "application/json",
        ["X-Forwarded-For"] = string.format("10.%d.%d.%d", thread, math.floor(count / 256) % 256, count % 256),
    }
    -- The threads begin at different profiles.
    local body = string.format('{"username":"user%d","password":"Sunflower7"}', (count + thread * 7919) % profiles)
    return wrk.format("POST", "/v1/login", headers, body)
end
