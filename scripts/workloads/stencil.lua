-- Jacobi iterations of a 7-point stencil in three dimensions.
local need = require("lib.need")
local sample = require("lib.sample")

local C0, C1 = 1 / 6, 1 / 36
local MOST_CHECKED = 200000 -- points checked in a run, shared out over the iterations

-- Proves one iteration: `after` must be the stencil of `before` at the points of `at`. Seven roundings of 2^-24 of
-- terms within [0, 1]: 1e-6; a point off by one wrong neighbour is off by about 1e-2.
local function check_step(before, after, at, nx, ny, nz)
	local size = nx * ny
	for i in at do
		local x, y, z = i % nx, i // nx % ny, i // size
		local want = before[i]
		if x > 0 and x < nx - 1 and y > 0 and y < ny - 1 and z > 0 and z < nz - 1 then
			local sum = before[i - 1] + before[i + 1] + before[i - nx] + before[i + nx]
			sum = sum + before[i - size] + before[i + size]
			want = sum * C1 - want * C0
		end
		if not (math.abs(after[i] - want) <= 1e-6) then
			return false, string.format("point (%d, %d, %d): got %.9g, want %.9g", x, y, z, after[i], want)
		end
	end
	return true
end

return {
	name = "stencil",
	help = "7-point stencil in 3D: planes in shared memory, coarsened along x (nx x ny x nz points, iterations)",
	kernels = "stencil.ptx",
	sizes = {
		small = { nx = 128, ny = 32, nz = 14, iterations = 2 },
		default = { nx = 128, ny = 128, nz = 32, iterations = 4 },
		large = { nx = 256, ny = 256, nz = 48, iterations = 5 },
	},
	run = function(cuda, p)
		local nx, ny, nz = need(p, "nx", 3, 2048), need(p, "ny", 3, 2048), need(p, "nz", 3, 2048)
		local iterations = need(p, "iterations", 1, 10000)
		local points = nx * ny * nz
		need({ points = points }, "points", 27, 1 << 28)
		local m = cuda.module("stencil.ptx")
		local before, after = cuda.host("f32", points):rand(0, 1), cuda.host("f32", points)
		local from, to = cuda.malloc(4 * points, "grid 0"), cuda.malloc(4 * points, "grid 1")
		cuda.copy(from, before)
		cuda.copy(to, before) -- the boundary, which the kernel never writes
		local ok, message = true, nil
		for iteration = 1, iterations do
			cuda.launch(m.stencil, { (nx + 63) // 64, (ny + 3) // 4, 1 }, { 32, 4, 1 }, {
				from, to, cuda.f32(C0), cuda.f32(C1), nx, ny, nz,
			})
			cuda.copy(after, to)
			if ok then
				local at = sample(cuda, points, math.max(1000, MOST_CHECKED // iterations))
				ok, message = check_step(before, after, at, nx, ny, nz)
				message = ok or "iteration " .. iteration .. ", " .. message
			end
			before, after = after, before
			from, to = to, from
		end
		cuda.check(function()
			return ok, message
		end)
	end,
}
