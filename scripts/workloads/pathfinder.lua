-- Cheapest paths through a grid by dynamic programming, several rows a launch.
local need = require("lib.need")

return {
	name = "pathfinder",
	help = "dynamic programming: ghost zones, barriers in shared memory (columns, rows, rows per launch: steps)",
	kernels = "pathfinder.ptx",
	sizes = {
		small = { columns = 6000, rows = 21, steps = 10 },
		default = { columns = 40000, rows = 61, steps = 20 },
		large = { columns = 100000, rows = 101, steps = 20 },
	},
	run = function(cuda, p)
		local columns, rows = need(p, "columns", 1, 1 << 22), need(p, "rows", 2, 1 << 16)
		local steps = need(p, "steps", 1, 127) -- a block of 256 loses two columns a row
		if rows * columns > 1 << 28 then
			error(string.format("parameters rows x columns = %d cells are more than %d", rows * columns, 1 << 28), 0)
		end
		local m = cuda.module("pathfinder.ptx")
		local wall, result = cuda.host("i32", rows * columns):rand(0, 9), cuda.host("i32", columns)
		local dwall = cuda.malloc(4 * rows * columns, "wall")
		local from, to = cuda.malloc(4 * columns, "costs 0"), cuda.malloc(4 * columns, "costs 1")
		cuda.copy(dwall, wall)
		cuda.copy(from, wall, 4 * columns) -- row 0
		local row = 1
		while row < rows do
			local now = math.min(steps, rows - row)
			local inner = 256 - 2 * now
			local ctas = (columns + inner - 1) // inner
			cuda.launch(m.pathfinder, { ctas, 1, 1 }, { 256, 1, 1 }, { dwall, from, to, columns, row, now })
			from, to = to, from
			row = row + now
		end
		cuda.copy(result, from)
		cuda.check(function()
			local cost, last = {}, columns - 1
			for x = 0, last do
				cost[x] = wall[x]
			end
			for y = 1, rows - 1 do
				local at, west, here = y * columns, cost[0], cost[0]
				for x = 0, last do
					local east = cost[x + 1] or here
					local least = west < here and west or here
					cost[x] = (east < least and east or least) + wall[at + x]
					west, here = here, east
				end
			end
			return cuda.compare(result, cost, 0, 0)
		end)
	end,
}
