-- Coulombic potential on a plane above a box of charged atoms: compute bound, special functions.
local need = require("lib.need")

local MOST = 1024 -- atoms the kernel's constant memory holds; more take several launches
local SPACING = 0.125 -- distance of two points of the plane

-- Points the reference computes: all of them while that is cheap, else every stride-th (at least 4096 of them). A
-- stride with no common factor with the width walks through all columns.
local function check_stride(points, natoms)
	if points * natoms <= 20000000 then
		return 1
	end
	local stride = points // 8192
	return stride % 2 == 0 and stride + 1 or stride
end

return {
	name = "cp",
	help = "Coulombic potential: compute bound, rsqrt (points a side, a multiple of 64; atoms)",
	kernels = "cp.ptx",
	sizes = {
		small = { points = 128, atoms = 60 },
		default = { points = 256, atoms = 250 },
		large = { points = 512, atoms = 256 },
	},
	run = function(cuda, p)
		local n, natoms = need(p, "points", 64, 16384, 64), need(p, "atoms", 1, 1000000)
		local m = cuda.module("cp.ptx")
		local atoms, random = cuda.host("f32", 4 * natoms), cuda.host("f32", 4 * natoms)
		random:rand(0, 1)
		for i = 0, natoms - 1 do
			local at = 4 * i
			local z = 0.25 + 4 * random[at + 2] -- never in the plane itself
			atoms[at] = n * SPACING * random[at]
			atoms[at + 1] = n * SPACING * random[at + 1]
			atoms[at + 2] = z * z
			atoms[at + 3] = 2 * random[at + 3] - 1
		end
		local energy = cuda.host("f32", n * n)
		local denergy, datoms = cuda.malloc(4 * n * n, "energy"), cuda.symbol(m, "atoms")
		cuda.memset(denergy, 0, 4 * n * n)
		for from = 0, natoms - 1, MOST do
			local count = math.min(MOST, natoms - from)
			local padded = (count + 3) // 4 * 4
			local chunk = cuda.host("f32", 4 * padded)
			for i = 0, 4 * padded - 1 do
				-- padding: charge 0, not in the plane
				chunk[i] = i < 4 * count and atoms[4 * from + i] or i % 4 == 2 and 1 or 0
			end
			cuda.copy(datoms, chunk) -- waits for the launch before, which reads the same memory
			cuda.launch(m.cenergy, { n // 64, n // 8, 1 }, { 16, 8, 1 }, { denergy, padded, n, cuda.f32(SPACING) })
		end
		cuda.copy(energy, denergy)
		cuda.check(function()
			local ax, ay, az, aq = {}, {}, {}, {}
			for i = 1, natoms do
				local at = 4 * (i - 1)
				ax[i], ay[i], az[i], aq[i] = atoms[at], atoms[at + 1], atoms[at + 2], atoms[at + 3]
			end
			for i = 0, n * n - 1, check_stride(n * n, natoms) do
				local x, y = SPACING * (i % n), SPACING * (i // n)
				local sum, magnitude = 0.0, 0.0
				for a = 1, natoms do
					local dx, dy = x - ax[a], y - ay[a]
					local term = aq[a] / (dx * dx + dy * dy + az[a]) ^ 0.5
					sum = sum + term
					magnitude = magnitude + (term < 0 and -term or term)
				end
				-- A term is off by the roundings of the differences, of fused steps and of rsqrt.approx (2^-22.9):
				-- under 16 units of 2^-24; adding natoms of them by at most natoms units, each of the sum of
				-- magnitudes.
				local got = energy[i]
				if not (math.abs(got - sum) <= (natoms + 16) * 2.0 ^ -24 * magnitude) then
					return false, string.format("energy[%d]: got %.9g, want %.9g", i, got, sum)
				end
			end
			return true
		end)
	end,
}
