-- Lattice-Boltzmann flow (D3Q19) in a lid-driven cavity.
local need = require("lib.need")
local sample = require("lib.sample")

local OMEGA = 1.95
local SOLID, ACCELERATED = 1, 2
local MOST_CHECKED = 12000 -- cells whose 19 results are checked in a run, shared out over the steps

-- Velocity and weight x 36 of each distribution, in the kernel's order.
local DIRECTIONS = {
	{ 0, 0, 0, 12 },
	{ 0, 1, 0, 2 }, { 0, -1, 0, 2 }, { 1, 0, 0, 2 }, { -1, 0, 0, 2 }, { 0, 0, 1, 2 }, { 0, 0, -1, 2 },
	{ 1, 1, 0, 1 }, { -1, 1, 0, 1 }, { 1, -1, 0, 1 }, { -1, -1, 0, 1 },
	{ 0, 1, 1, 1 }, { 0, 1, -1, 1 }, { 0, -1, 1, 1 }, { 0, -1, -1, 1 },
	{ 1, 0, 1, 1 }, { 1, 0, -1, 1 }, { -1, 0, 1, 1 }, { -1, 0, -1, 1 },
}
local OPPOSITE = {}
for i, a in ipairs(DIRECTIONS) do
	for j, b in ipairs(DIRECTIONS) do
		if a[1] == -b[1] and a[2] == -b[2] and a[3] == -b[3] then
			OPPOSITE[i] = j
		end
	end
end

-- Walls all around; the two planes next to the floor and the lid move, except along the side walls.
local function set_flags(flags, nx, ny, nz)
	for z = 0, nz - 1 do
		for y = 0, ny - 1 do
			for x = 0, nx - 1 do
				local flag = 0
				if x == 0 or x == nx - 1 or y == 0 or y == ny - 1 or z == 0 or z == nz - 1 then
					flag = SOLID
				elseif (z == 1 or z == nz - 2) and x > 1 and x < nx - 2 and y > 1 and y < ny - 2 then
					flag = ACCELERATED
				end
				flags[x + nx * (y + ny * z)] = flag
			end
		end
	end
end

-- What a cell with distributions f sends out.
local function collide(f, flag)
	local out = {}
	if flag == SOLID then
		for d = 1, 19 do
			out[d] = f[OPPOSITE[d]]
		end
		return out
	end
	local rho, ux, uy, uz = 0.0, 0.0, 0.0, 0.0
	for d = 1, 19 do
		local e, v = DIRECTIONS[d], f[d]
		rho, ux, uy, uz = rho + v, ux + e[1] * v, uy + e[2] * v, uz + e[3] * v
	end
	ux, uy, uz = ux / rho, uy / rho, uz / rho
	if flag == ACCELERATED then
		ux, uy, uz = 0.005, 0.002, 0.0
	end
	local base = 1 - 1.5 * (ux * ux + uy * uy + uz * uz)
	for d = 1, 19 do
		local e = DIRECTIONS[d]
		local along = e[1] * ux + e[2] * uy + e[3] * uz
		out[d] = (1 - OMEGA) * f[d] + OMEGA * e[4] / 36 * rho * (base + along * (3 + 4.5 * along))
	end
	return out
end

-- Proves one step at the cells of `at`. The density is a sum of 19 terms up to 1, so off by 1e-6 at most; it enters
-- with a weight of 1.95 / 3, and velocities are off by about as much with a weight below 1: 3e-6. What solid cells
-- send is copied.
local function check_step(before, after, flags, at, g)
	for cell in at do
		local f = {}
		for d = 1, 19 do
			f[d] = before[(d - 1) * g.array + g.margin + cell]
		end
		local slack = flags[cell] == SOLID and 0 or 3e-6
		for d, want in ipairs(collide(f, flags[cell])) do
			local e = DIRECTIONS[d]
			local got = after[(d - 1) * g.array + g.margin + cell + e[1] + g.nx * e[2] + g.plane * e[3]]
			if not (math.abs(got - want) <= slack) then
				local format = "cell %d, distribution %d: got %.9g, want %.9g"
				return false, string.format(format, cell, d - 1, got, want)
			end
		end
	end
	return true
end

return {
	name = "lbm",
	help = "lattice-Boltzmann D3Q19: 19 streams in, 19 out, memory bound (nx x ny x nz cells; steps)",
	kernels = "lbm.ptx",
	sizes = {
		small = { nx = 100, ny = 6, nz = 7, steps = 2 },
		default = { nx = 100, ny = 16, nz = 20, steps = 6 },
		large = { nx = 100, ny = 40, nz = 40, steps = 6 },
	},
	run = function(cuda, p)
		local nx, ny, nz = need(p, "nx", 5, 1024), need(p, "ny", 5, 4096), need(p, "nz", 5, 4096)
		local steps = need(p, "steps", 1, 10000)
		local m = cuda.module("lbm.ptx")
		local g = { nx = nx, plane = nx * ny, margin = nx * ny + nx + 1 }
		g.array = nx * ny * nz + 2 * g.margin
		local elements = need({ elements = 19 * g.array }, "elements", 1, 1 << 28)
		local flags = cuda.host("i32", nx * ny * nz)
		set_flags(flags, nx, ny, nz)
		-- Near equilibrium at rest, disturbed by up to 5 % so that every distribution is different.
		local before, after = cuda.host("f32", elements):rand(0.95, 1.05), cuda.host("f32", elements)
		for d, e in ipairs(DIRECTIONS) do
			for i = (d - 1) * g.array, d * g.array - 1 do
				before[i] = before[i] * (e[4] / 36)
			end
		end
		local from, to = cuda.malloc(4 * elements, "cells 0"), cuda.malloc(4 * elements, "cells 1")
		local dflags = cuda.malloc(4 * nx * ny * nz, "flags")
		cuda.copy(dflags, flags)
		cuda.copy(from, before)
		local ok, message = true, nil
		for step = 1, steps do
			local first = 4 * g.margin
			cuda.launch(m.lbm_stream_collide, { ny, nz, 1 }, nx, { from + first, to + first, dflags, g.array })
			cuda.copy(after, to)
			if ok then
				local at = sample(cuda, nx * ny * nz, math.max(500, MOST_CHECKED // steps))
				ok, message = check_step(before, after, flags, at, g)
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
