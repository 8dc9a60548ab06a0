-- MRI reconstruction, matrix Q: sine and cosine, samples in constant memory.
local need = require("lib.need")
local sample = require("lib.sample")

local MOST = 1024 -- samples the kernel's constant memory holds
local TERMS_CHECKED = 2500000 -- terms the reference evaluates; voxels are sampled to keep to it

-- The magnitudes of all samples, checked on the way: two products and a sum, so two roundings of 2^-24 at most.
local function magnitudes(cuda, m, phi_r, phi_i, n)
	local magnitude = cuda.host("f32", n)
	local dr, di, dmagnitude = cuda.malloc(4 * n, "phi_r"), cuda.malloc(4 * n, "phi_i"), cuda.malloc(4 * n, "magnitude")
	cuda.copy(dr, phi_r)
	cuda.copy(di, phi_i)
	cuda.launch(m.mriq_phi_mag, (n + 511) // 512, 512, { dr, di, dmagnitude, n })
	cuda.copy(magnitude, dmagnitude)
	cuda.check(function()
		local want = cuda.host("f64", n)
		for k = 0, n - 1 do
			want[k] = phi_r[k] * phi_r[k] + phi_i[k] * phi_i[k]
		end
		return cuda.compare(magnitude, want, 2.0 ^ -22, 0)
	end)
	return magnitude
end

-- Q of one voxel in double precision, and the sum of the magnitudes.
local function reference(k, x, y, z)
	local re, im, total = 0.0, 0.0, 0.0
	local kx, ky, kz, mag = k.x, k.y, k.z, k.magnitude
	for i = 1, #mag do
		local angle = 2 * math.pi * (kx[i] * x + ky[i] * y + kz[i] * z)
		re = re + mag[i] * math.cos(angle)
		im = im + mag[i] * math.sin(angle)
		total = total + mag[i]
	end
	return re, im, total
end

return {
	name = "mriq",
	help = "MRI reconstruction, matrix Q: compute bound, sin and cos, constants (voxels, samples, chunk a launch)",
	kernels = "mriq.ptx",
	sizes = {
		small = { voxels = 2560, samples = 96, chunk = 64 },
		default = { voxels = 7680, samples = 1200, chunk = MOST },
		large = { voxels = 15360, samples = 3072, chunk = MOST },
	},
	run = function(cuda, p)
		local nv, nk = need(p, "voxels", 1, 1 << 24), need(p, "samples", 1, 1 << 20)
		need(p, "chunk", 1, MOST)
		local m = cuda.module("mriq.ptx")
		-- |k.x| stays within 1/2, so that angles stay within pi, where the error of sin.approx is specified.
		local kx, ky = cuda.host("f32", nk):rand(-0.5, 0.5), cuda.host("f32", nk):rand(-0.5, 0.5)
		local kz = cuda.host("f32", nk):rand(-0.5, 0.5)
		local x, y = cuda.host("f32", nv):rand(-0.33, 0.33), cuda.host("f32", nv):rand(-0.33, 0.33)
		local z = cuda.host("f32", nv):rand(-0.33, 0.33)
		local phi_r, phi_i = cuda.host("f32", nk):rand(-1, 1), cuda.host("f32", nk):rand(-1, 1)
		local magnitude = magnitudes(cuda, m, phi_r, phi_i, nk)

		local dx, dy, dz = cuda.malloc(4 * nv, "x"), cuda.malloc(4 * nv, "y"), cuda.malloc(4 * nv, "z")
		local dr, di = cuda.malloc(4 * nv, "q_r"), cuda.malloc(4 * nv, "q_i")
		cuda.copy(dx, x)
		cuda.copy(dy, y)
		cuda.copy(dz, z)
		local constants = cuda.symbol(m, "samples")
		for from = 0, nk - 1, p.chunk do
			local count = math.min(p.chunk, nk - from)
			local chunk = cuda.host("f32", 4 * count)
			for k = 0, count - 1 do
				chunk[4 * k], chunk[4 * k + 1] = kx[from + k], ky[from + k]
				chunk[4 * k + 2], chunk[4 * k + 3] = kz[from + k], magnitude[from + k]
			end
			cuda.copy(constants, chunk) -- waits for the launch before, which reads the same memory
			cuda.launch(m.mriq_q, (nv + 255) // 256, 256, { dx, dy, dz, dr, di, count, nv })
		end
		local q_r, q_i = cuda.host("f32", nv), cuda.host("f32", nv)
		cuda.copy(q_r, dr)
		cuda.copy(q_i, di)
		local at = sample(cuda, nv, math.max(16, TERMS_CHECKED // nk))
		cuda.check(function()
			local k = { x = {}, y = {}, z = {}, magnitude = {} }
			for i = 1, nk do
				k.x[i], k.y[i], k.z[i], k.magnitude[i] = kx[i - 1], ky[i - 1], kz[i - 1], magnitude[i - 1]
			end
			for i in at do
				local re, im, total = reference(k, x[i], y[i], z[i])
				-- A term is off by sin.approx (2^-20.9) and by the angle's roundings (3 of 2^-24 on up to pi):
				-- 1.2e-6 of its magnitude. Adding nk terms rounds nk times a partial sum no larger than the total;
				-- rounding errors of either sign leave far less than nk/4 units of them.
				local slack = (1.2e-6 + nk / 4 * 2.0 ^ -24) * total
				if not (math.abs(q_r[i] - re) <= slack and math.abs(q_i[i] - im) <= slack) then
					local format = "voxel %d: got (%.9g, %.9g), want (%.9g, %.9g)"
					return false, string.format(format, i, q_r[i], q_i[i], re, im)
				end
			end
			return true
		end)
	end,
}
