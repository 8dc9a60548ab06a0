#!/bin/sh
# Arithmetic on host arrays against the same in Lua: matrix products in all layouts, halves of every value, sums; what is
# refused; and that a long product hears Ctrl-C.
. "$(dirname "$0")/../rig/cli_rig.sh"

cat >"$tmp/arrays.lua" <<'LUA'
local f16 = require("lib.f16").value

local function same(what, got, want)
	if got ~= want and (got == got or want == want) then
		error(("%s: %s, not %s"):format(what, got, want), 0)
	end
end

local function at(a, rows, columns, i, j, transposed)
	return a[transposed and j * rows + i or i * columns + j]
end

-- In the same order: not a bit may differ.
local function products(cuda, m, n, k, layout, types)
	local ta, tb = layout:sub(1, 1) == "t", layout:sub(2, 2) == "t"
	local a, b = cuda.host(types[1], m * k):rand(-9, 9), cuda.host(types[2], k * n):rand(-9, 9)
	local c = cuda.host(types[3], m * n):product(a, b, m, n, k, layout)
	for i = 0, m - 1 do
		for j = 0, n - 1 do
			local sum = 0.0
			for l = 0, k - 1 do
				sum = sum + at(a, m, k, i, l, ta) * at(b, k, n, l, j, tb)
			end
			local want = cuda.host(types[3], 1)
			want[0] = sum
			same(("%s %dx%dx%d [%d, %d]"):format(layout, m, n, k, i, j), c[i * n + j], want[0])
		end
	end
end

local function halves(cuda)
	local bits = cuda.host("u32", 65536):iota()
	local values = cuda.host("f64", 65536)
	for i = 0, 65535 do
		values[i] = f16(bits[i])
	end
	local back = cuda.host("u16", 65536):halves(values)
	for i = 0, 65535 do
		if values[i] == values[i] then
			same(("f16 %#x"):format(i), back[i], i)
		else
			same(("f16 %#x"):format(i), f16(back[i]) ~= f16(back[i]), true)
		end
	end
	-- Between two neighbours: the nearer one, in the middle the even one.
	for i = 0, 0x7bfe do
		local low, high = values[i], values[i + 1]
		local step = high - low
		local three = cuda.host("f64", 6)
		three[0], three[1], three[2] = low + step * 0.499, low + step * 0.5, low + step * 0.501
		three[3], three[4], three[5] = -three[0], -three[1], -three[2]
		local got = cuda.host("u16", 6):halves(three)
		local even = i % 2 == 0 and i or i + 1
		same("below", got[0], i)
		same("middle", got[1], even)
		same("above", got[2], i + 1)
		same("-below", got[3], i | 0x8000)
		same("-middle", got[4], even | 0x8000)
		same("-above", got[5], i + 1 | 0x8000)
	end
	local ends = cuda.host("f64", 4)
	ends[0], ends[1], ends[2], ends[3] = 65519.99, 65520, 1e300, 2.0 ^ -25
	local got = cuda.host("u16", 4):halves(ends)
	same("65519.99", got[0], 0x7bff)
	same("65520", got[1], 0x7c00)
	same("1e300", got[2], 0x7c00)
	same("2^-25", got[3], 0)
end

return {
	kernels = "vecadd.ptx",
	run = function(cuda)
		for _, layout in ipairs({ "nn", "nt", "tn", "tt" }) do
			products(cuda, 7, 5, 11, layout, { "f32", "f64", "f64" })
			products(cuda, 3, 17, 4, layout, { "s8", "u16", "s32" })
			products(cuda, 1, 1, 1, layout, { "f64", "f32", "f32" })
			products(cuda, 5, 1, 6, layout, { "s64", "s8", "s8" })
		end
		halves(cuda)
		local x, y = cuda.host("f64", 9):rand(-1, 1), cuda.host("s16", 9):rand(-100, 100)
		local z, sum, dot = cuda.host("f32", 9):combine(x, 3, y, -0.5), 0.0, 0.0
		for i = 0, 8 do
			sum, dot = sum + x[i], dot + x[i] * y[i]
			same("combine", z[i], string.unpack("f", string.pack("f", 3 * x[i] - 0.5 * y[i])))
		end
		same("sum", x:sum(), sum)
		same("dot", x:dot(y), dot)
		same("wraps", cuda.host("u8", 9):combine(y, 1)[3], y[3] & 255)
		local refused = {
			{ "the arrays differ in length", function() x:dot(cuda.host("f32", 8)) end },
			{ "the arrays differ in length", function() x:combine(y, 1, cuda.host("f32", 8), 1) end },
			{ "not a whole number below 2^53", function() y:combine(x, 1) end },
			{ "not a whole number below 2^53", function() cuda.host("s64", 9):combine(y:fill(1), 2.0 ^ 54) end },
			{ "kept in an array of u16", function() y:halves(x) end },
			{ "does not have m x n elements", function() x:product(x, x, 3, 4, 3) end },
			{ "does not have m x k elements", function() x:product(y, y, 3, 3, 4) end },
			{ "does not have k x n elements", function() x:product(y, cuda.host("f32", 3), 3, 3, 3) end },
			{ "it is a factor, too", function() x:product(x, y, 3, 3, 3) end },
			{ "a dimension is 1 to 2^24", function() x:product(y, y, 0, 3, 3) end },
			{ "invalid option 'xy'", function() x:product(y, y, 3, 3, 3, "xy") end },
		}
		for _, r in ipairs(refused) do
			local ok, message = pcall(r[2])
			same(r[1], not ok and message:find(r[1], 1, true) ~= nil, true)
		end
		cuda.check(function() return true end)
	end,
}
LUA
expect 0 "finished, check passed" run "$tmp/arrays.lua"
cat >"$tmp/long.lua" <<'LUA'
return { kernels = "vecadd.ptx", run = function(cuda)
	local n = 6000
	local a, b = cuda.host("f32", n * n), cuda.host("f32", n * n)
	io.stderr:write("begins\n")
	cuda.host("f32", n * n):product(a, b, n, n, n)
end }
LUA
timeout -s KILL 120 "$W" run "$tmp/long.lua" --allow-io >"$tmp/said" 2>&1 &
pid=$!
for i in $(seq 300); do
	grep -q begins "$tmp/said" && break
	sleep 0.1
done
kill -INT $pid
wait $pid
check "Ctrl-C ends it: $(tail -1 "$tmp/said")" [ $? -eq 130 ]
