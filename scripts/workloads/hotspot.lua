-- Temperature of a chip of 16 mm x 16 mm x 0.5 mm of silicon over time, by explicit finite differences.
local need = require("lib.need")
local published = require("lib.published")

local DEPTH, SIDE = 0.0005, 0.016 -- m
local CONDUCTIVITY, HEAT_CAPACITY = 100, 1.75e6 -- silicon: W/(m K), J/(m^3 K)
local AMBIENT = 353 -- K
local TILE = 16

-- The constants of a time step on an n x n grid: the step over a cell's capacity, and the conductances between cells and
-- to the ambient. Rounded to f32, as the kernel gets them.
local function coefficients(cuda, n)
	local cell = SIDE / n
	local rx = cell / (CONDUCTIVITY * DEPTH * cell)
	local rz = DEPTH / (CONDUCTIVITY * cell * cell)
	local cap = HEAT_CAPACITY * DEPTH * cell * cell
	local step = 0.8 * cap / (4 / rx + 1 / rz) -- beyond 1.0 instead of 0.8 the explicit scheme turns unstable
	local rounded = cuda.host("f32", 3)
	rounded[0], rounded[1], rounded[2] = step / cap, 1 / rx, 1 / rz
	return rounded[0], rounded[1], rounded[2]
end

local function reference(power, start, n, iterations, step_over_cap, rx, rz)
	local now, next_ = {}, {}
	for i = 0, n * n - 1 do
		now[i] = start[i]
	end
	local heat = {}
	for i = 0, n * n - 1 do
		heat[i] = power[i]
	end
	for _ = 1, iterations do
		for y = 0, n - 1 do
			local north, south = y > 0 and -n or 0, y < n - 1 and n or 0
			for x = 0, n - 1 do
				local i = y * n + x
				local t = now[i]
				local west, east = x > 0 and i - 1 or i, x < n - 1 and i + 1 or i
				next_[i] = t
					+ step_over_cap
						* (
							heat[i]
							+ (now[i + south] + now[i + north] - 2 * t) * rx
							+ (now[east] + now[west] - 2 * t) * rx
							+ (AMBIENT - t) * rz
						)
			end
		end
		now, next_ = next_, now
	end
	return now
end

return {
	name = "hotspot",
	help = "thermal simulation of a chip: stencil in shared memory, overlapping tiles (n x n cells, steps per launch)",
	kernels = "hotspot.ptx",
	sizes = {
		small = { n = 96, iterations = 4, steps = 2 },
		default = { n = 384, iterations = 4, steps = 2 },
		large = { n = 768, iterations = 6, steps = 2 },
	},
	run = function(cuda, p)
		local n, iterations = need(p, "n", 1, 16384), need(p, "iterations", 1, 10000)
		local steps = need(p, "steps", 1, 7) -- a tile of 16 loses two cells a step
		local m = cuda.module("hotspot.ptx")
		local cells = n * n
		local power, start, result = cuda.host("f32", cells), cuda.host("f32", cells), cuda.host("f32", cells)
		power:rand(0, 0.002) -- W per cell
		start:rand(323, 343) -- K
		local dpower = cuda.malloc(4 * cells, "power")
		local from, to = cuda.malloc(4 * cells, "temperature 0"), cuda.malloc(4 * cells, "temperature 1")
		cuda.copy(dpower, power)
		cuda.copy(from, start)
		local step_over_cap, rx, rz = coefficients(cuda, n)
		local left = iterations
		while left > 0 do
			local now = math.min(steps, left)
			local inner = TILE - 2 * now
			local ctas = (n + inner - 1) // inner
			cuda.launch(m.hotspot, { ctas, ctas, 1 }, { TILE, TILE, 1 }, {
				dpower, from, to, n, n, now, cuda.f32(step_over_cap),
				cuda.f32(rx), cuda.f32(rx), cuda.f32(rz), cuda.f32(AMBIENT),
			}, published(35)) -- Park 2016, table 4.2
			from, to = to, from
			left = left - now
		end
		cuda.copy(result, from)
		cuda.check(function()
			local want, now = cuda.host("f32", cells), reference(power, start, n, iterations, step_over_cap, rx, rz)
			for i = 0, cells - 1 do
				want[i] = now[i]
			end
			-- Temperatures near 350 K and a handful of roundings of 2^-24 a step, of which each cell keeps its own
			-- and a fifth of the differences to its neighbours: about 3e-7 a step. One wrong neighbour is an error of
			-- about 1e-2.
			return cuda.compare(result, want, 3e-7 * (iterations + 1), 0)
		end)
	end,
}
