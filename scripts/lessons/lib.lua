--[[ lib: what several lessons ask of the machine. The figures are those that views and `info` show; lessons never have them
in their text. ]]
local diagnose = require "diagnose.lib"
local lib = {num = diagnose.num, percent = diagnose.percent}

-- The rows of dbg.lines("pc") whose instruction begins with one of the words, as "st.global": of one launch's code, or of all.
function lib.rows(words, kernel)
	local found = {}
	for _, row in ipairs(dbg.lines("pc")) do
		local opcode = gpu.kernel[row.kernel].code(row.pc).text:gsub("^@%S+%s+", "")
		for _, word in ipairs(type(words) == "table" and words or {words}) do
			if opcode:sub(1, #word) == word and (not kernel or row.kernel == kernel) then
				found[#found + 1] = row
			end
		end
	end
	return found
end

-- The sum of a field over rows.
function lib.sum(rows, field)
	local sum = 0
	for _, row in ipairs(rows) do
		sum = sum + row[field]
	end
	return sum
end

-- Transactions of an access: of all instructions that begin with these words together.
function lib.transactions(words)
	local rows = lib.rows(words)
	return lib.sum(rows, "transactions") / lib.sum(rows, "requests")
end

-- Issue slots lost to a reason (`info stalls`), in percent of all.
function lib.lost(reason)
	local all, of = 0, gpu.stalls()
	for _, n in pairs(of) do
		all = all + n
	end
	return all > 0 and 100 * (of[reason] or 0) / all or 0
end

-- Cycles from a launch's first CTA to its end.
function lib.cycles(kernel)
	return gpu.kernel[kernel or 0].cycles
end

-- A factor as text: "2.5 times".
function lib.times(a, b)
	return string.format("%.2f times", a / b)
end

-- Runs the program from its beginning under several values of a key, each in a process of its own: cycles by value (string).
function lib.whatif(key, values)
	local cycles = {}
	for line in dbg.execute("whatif " .. key .. "=" .. values .. " from 0"):gmatch("[^\n]+") do
		local value, n = line:match("^[%s*]*%d+%s+(%S+)%s+([%d,]+)")
		if value then
			cycles[value] = tonumber((n:gsub(",", "")))
		end
	end
	return cycles
end

-- The value with the fewest cycles.
function lib.fastest(key, values)
	local best, least
	for value, cycles in pairs(lib.whatif(key, values)) do
		if not best or cycles < least or cycles == least and value < best then
			best, least = value, cycles
		end
	end
	return best
end

return lib
