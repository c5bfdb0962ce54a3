-- Registers profiles with a hashed password. Each run needs a prefix of its own for the names.
--
--     wrk … -s register.lua URL -- TOKEN PREFIX
local path = string.match(debug.getinfo(1, "S").source, "^@(.*/)")
dofile(path .. "report.lua")

function init(arguments)
    count = 0
    prefix = arguments[2] .. thread
    headers = { ["Authorization"] = "Bearer " .. arguments[1], ["Content-Type"] = "application/json" }
    rest = '","phone":"78761241","address":"12 Main St","postal_code":"01234","birthday":"1980-12-31","password_hash":'
        .. '"$argon2id$v=19$m=19456,t=2,p=1$ypUYnQZSQQOq9pivEtjG8w$' .. string.rep("A", 43) .. '"}'
end

function request()
    count = count + 1
    return wrk.format("POST", "/v1/profiles", headers, '{"username":"' .. prefix .. count .. rest)
end
