-- Laplace's equation in a box by Jacobi iteration, one launch a step.
local need = require("lib.need")

-- Proves one step from the values before it: all points while there are few, else about 200000 of them; an odd stride
-- meets every thread of a CTA.
local function check_step(before, after, nx, ny, nz)
	local plane = nx * ny
	local n = plane * nz
	local stride = n <= 200000 and 1 or n // 200000 | 1
	for i = 0, n - 1, stride do
		local x, y, z = i % nx, i // nx % ny, i // plane
		local want, slack = before[i], 0.0
		if x > 0 and x < nx - 1 and y > 0 and y < ny - 1 and z > 0 and z < nz - 1 then
			local sum = before[i - 1] + before[i + 1] + before[i - nx] + before[i + nx]
			want = (sum + before[i - plane] + before[i + plane]) / 6
			slack = 8 * 2.0 ^ -24 -- five sums of at most 6 and a product: under 8 roundings of values below 1
		end
		if not (math.abs(after[i] - want) <= slack) then
			local format = "u[%d][%d][%d]: got %.9g, want %.9g"
			return false, string.format(format, z, y, x, after[i], want)
		end
	end
	return true
end

return {
	name = "lps",
	help = "3D Laplace solver: planes in shared memory, halo, 2-D grid (nx x ny x nz points, iterations)",
	kernels = "lps.ptx",
	sizes = {
		small = { nx = 48, ny = 48, nz = 24, iterations = 1 },
		default = { nx = 128, ny = 128, nz = 80, iterations = 1 },
		large = { nx = 256, ny = 256, nz = 80, iterations = 1 },
	},
	run = function(cuda, p)
		local nx, ny, nz = need(p, "nx", 1, 2048), need(p, "ny", 1, 2048), need(p, "nz", 1, 2048)
		local n = nx * ny * nz
		if n > 1 << 28 then
			error(string.format("nx * ny * nz = %d is more than %d", n, 1 << 28), 0)
		end
		local m = cuda.module("lps.ptx")
		local before, result = cuda.host("f32", n), cuda.host("f32", n)
		before:rand(0, 1)
		local from, to = cuda.malloc(4 * n, "u 0"), cuda.malloc(4 * n, "u 1")
		cuda.copy(from, before)
		for i = 1, need(p, "iterations", 1, 1000) do
			cuda.launch(m.laplace3d, { (nx + 15) // 16, (ny + 7) // 8, 1 }, { 16, 8, 1 }, { from, to, nx, ny, nz })
			cuda.copy(result, to)
			local ok, message = check_step(before, result, nx, ny, nz)
			cuda.check(function()
				return ok, not ok and "iteration " .. i .. ": " .. message or nil
			end)
			from, to = to, from
			before, result = result, before
		end
	end,
}
