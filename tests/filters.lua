-- Every event of a run is filtered by every place and argument that it was seen with: the filter, decided in C, lets through
-- exactly those that Lua would, and none of them is refused. (tests/script/test_hostile.c)
local placed = { issue = true, ["branch-diverge"] = true, reconverge = true, fault = true, ["cta-nonidempotent"] = true } -- pc is an argument
local seen, ids = {}, {}
local function note(event, e)
	local s = seen[event]
	for k, v in pairs(e) do
		if math.type(v) == "integer" and k ~= "cycle" and (k ~= "pc" or placed[event]) then
			s[k] = s[k] or {}
			s[k][v] = (s[k][v] or 0) + 1
		end
	end
end
for _, event in ipairs(dbg.events()) do
	seen[event] = {}
	ids[#ids + 1] = dbg.on(event, function(e) note(event, e) end)
end
dbg.continue()
for _, id in ipairs(ids) do
	dbg.off(id)
end

-- The rarest value of each, the smallest of those.
local function rarest(counts)
	local best
	for v, n in pairs(counts) do
		if not best or n < counts[best] or (n == counts[best] and v < best) then best = v end
	end
	return best
end
local filters, bad = {}, 0
for event, s in pairs(seen) do
	for key, counts in pairs(s) do
		local v = rarest(counts)
		local f = { name = event .. " " .. key .. "=" .. v, want = counts[v], got = 0 }
		local ok, why = pcall(dbg.on, event, { [key] = v }, function() f.got = f.got + 1 end)
		if not ok then
			bad = bad + 1
			print("REFUSED", f.name, why)
		else
			filters[#filters + 1] = f
		end
	end
end
dbg.execute("run")
for _, f in ipairs(filters) do
	if f.want ~= f.got then
		bad = bad + 1
		print("DIFFERS", f.name, f.want, f.got)
	end
end
local names = {}
for event, of in pairs(seen) do
	names[#names + 1] = next(of) and event or nil
end
table.sort(names)
print("filters " .. #filters .. ", wrong " .. bad)
print("of " .. table.concat(names, " "))
