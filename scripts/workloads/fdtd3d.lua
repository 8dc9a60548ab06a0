-- Three-dimensional finite differences of order 8 in time steps.
local need = require("lib.need")
local sample = require("lib.sample")

local RADIUS, TILE = 4, 16
local MOST_CHECKED = 60000 -- points checked in a run, shared out over the steps
local WEIGHT = 1 / (1 + 6 * RADIUS) -- all equal on average: the field neither grows nor vanishes

-- Proves one step at the points of `at` (counted without the halo): 25 fused steps, each off by 2^-24 of a partial sum
-- within 1. One wrong neighbour is an error of about 1e-2.
local function check_step(before, after, weights, at, p)
	local row = p.nx + 2 * RADIUS
	local plane = row * (p.ny + 2 * RADIUS)
	for i in at do
		local x, y, z = i % p.nx, i // p.nx % p.ny, i // (p.nx * p.ny)
		local c = (z + RADIUS) * plane + (y + RADIUS) * row + x + RADIUS
		local want = weights[0] * before[c]
		for r = 1, RADIUS do
			local along_y, along_z = r * row, r * plane
			want = want
				+ weights[r]
					* (
						before[c - r]
						+ before[c + r]
						+ before[c - along_y]
						+ before[c + along_y]
						+ before[c - along_z]
						+ before[c + along_z]
					)
		end
		if not (math.abs(after[c] - want) <= 25 * 2.0 ^ -24) then
			return false, string.format("point (%d, %d, %d): got %.9g, want %.9g", x, y, z, after[c], want)
		end
	end
	return true
end

return {
	name = "fdtd3d",
	help = "3D finite differences of order 8: tile in shared memory, columns in registers (nx x ny x nz, steps)",
	kernels = "fdtd3d.ptx",
	sizes = {
		small = { nx = 48, ny = 32, nz = 12, steps = 2 },
		default = { nx = 112, ny = 112, nz = 24, steps = 4 },
		large = { nx = 240, ny = 240, nz = 32, steps = 4 },
	},
	run = function(cuda, p)
		local nx, ny = need(p, "nx", TILE, 2048, TILE), need(p, "ny", TILE, 2048, TILE)
		local nz, steps = need(p, "nz", 1, 2048), need(p, "steps", 1, 10000)
		local points = (nx + 2 * RADIUS) * (ny + 2 * RADIUS) * (nz + 2 * RADIUS)
		need({ points = points }, "points", 1, 1 << 28)
		local m = cuda.module("fdtd3d.ptx")
		local weights = cuda.host("f32", RADIUS + 1):rand(0.5 * WEIGHT, 1.5 * WEIGHT)
		cuda.copy(cuda.symbol(m, "weights"), weights)
		local before, after = cuda.host("f32", points):rand(0, 1), cuda.host("f32", points)
		local from, to = cuda.malloc(4 * points, "volume 0"), cuda.malloc(4 * points, "volume 1")
		cuda.copy(from, before)
		cuda.copy(to, before) -- the halo, which the kernel never writes
		local ok, message = true, nil
		for step = 1, steps do
			local grid, block = { nx // TILE, ny // TILE, 1 }, { TILE, TILE, 1 }
			cuda.launch(m.finite_differences, grid, block, { to, from, nx, ny, nz })
			cuda.copy(after, to)
			if ok then
				local at = sample(cuda, nx * ny * nz, math.max(1000, MOST_CHECKED // steps))
				ok, message = check_step(before, after, weights, at, p)
				message = ok or "step " .. step .. ", " .. message
			end
			before, after = after, before
			from, to = to, from
		end
		cuda.check(function()
			return ok, message
		end)
	end,
}
