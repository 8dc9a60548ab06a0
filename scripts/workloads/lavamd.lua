-- Particles in boxes: potential and force from the neighbouring boxes, in double precision.
local need = require("lib.need")
local sample = require("lib.sample")

local PARTICLES, NEIGHBOURS = 100, 27
local ALPHA = 0.5
local PAIRS_CHECKED = 500000 -- pairs the reference computes; particles are sampled to keep to it

-- Lists of up to 27 boxes, each box itself first.
local function find_neighbours(cuda, p)
	local boxes = p.x * p.y * p.z
	local list, count = cuda.host("i32", boxes * NEIGHBOURS), cuda.host("i32", boxes)
	for box = 0, boxes - 1 do
		local bx, by, bz = box % p.x, box // p.x % p.y, box // (p.x * p.y)
		local n = 1
		list[box * NEIGHBOURS] = box
		for z = math.max(bz - 1, 0), math.min(bz + 1, p.z - 1) do
			for y = math.max(by - 1, 0), math.min(by + 1, p.y - 1) do
				for x = math.max(bx - 1, 0), math.min(bx + 1, p.x - 1) do
					local other = x + p.x * (y + p.y * z)
					if other ~= box then
						list[box * NEIGHBOURS + n] = other
						n = n + 1
					end
				end
			end
		end
		count[box] = n
	end
	return list, count
end

-- Positions as (half the square, x, y, z); a box is a unit cube.
local function place_particles(cuda, p)
	local n = p.x * p.y * p.z * PARTICLES
	local position, random = cuda.host("f64", 4 * n), cuda.host("f64", 3 * n):rand(0, 1)
	for i = 0, n - 1 do
		local box = i // PARTICLES
		local x = box % p.x + random[3 * i]
		local y = box // p.x % p.y + random[3 * i + 1]
		local z = box // (p.x * p.y) + random[3 * i + 2]
		position[4 * i] = (x * x + y * y + z * z) / 2
		position[4 * i + 1], position[4 * i + 2], position[4 * i + 3] = x, y, z
	end
	return position
end

-- Checks particle i: every term is within 1e-12 of the reference's (the exponential's polynomial and the cancellation
-- in r2, whose parts are below 3 * 40^2 / 2), and charges are below 1; differences of positions are below 4.
local function check_particle(i, force, position, charge, list, count)
	local box = i // PARTICLES
	local mv, mx, my, mz = position[4 * i], position[4 * i + 1], position[4 * i + 2], position[4 * i + 3]
	local v, x, y, z, total = 0.0, 0.0, 0.0, 0.0, 0.0
	local a2 = 2 * ALPHA * ALPHA
	for k = 0, count[box] - 1 do
		local from = list[box * NEIGHBOURS + k] * PARTICLES
		for j = from, from + PARTICLES - 1 do
			local ox, oy, oz = position[4 * j + 1], position[4 * j + 2], position[4 * j + 3]
			local r2 = mv + position[4 * j] - (mx * ox + my * oy + mz * oz)
			local e = charge[j] * math.exp(-a2 * r2)
			local f = 2 * e
			v, total = v + e, total + e
			x, y, z = x + f * (mx - ox), y + f * (my - oy), z + f * (mz - oz)
		end
	end
	for c, want in ipairs({ v, x, y, z }) do
		local got = force[4 * i + c - 1]
		if not (math.abs(got - want) <= 1e-12 * (1 + 8 * total)) then
			return false, string.format("particle %d, component %d: got %.15g, want %.15g", i, c - 1, got, want)
		end
	end
	return true
end

return {
	name = "lavamd",
	help = "molecular dynamics in boxes of 100 particles: f64, exponentials, shared memory (x x y x z boxes)",
	kernels = "lavamd.ptx",
	sizes = {
		small = { x = 2, y = 1, z = 1 },
		default = { x = 3, y = 2, z = 2 },
		large = { x = 4, y = 3, z = 3 },
	},
	run = function(cuda, p)
		need(p, "x", 1, 40)
		need(p, "y", 1, 40)
		need(p, "z", 1, 40)
		local boxes = p.x * p.y * p.z
		local n = boxes * PARTICLES
		local m = cuda.module("lavamd.ptx")
		local list, count = find_neighbours(cuda, p)
		local position, charge = place_particles(cuda, p), cuda.host("f64", n):rand(0.1, 1)
		local dposition, dforce = cuda.malloc(32 * n, "position"), cuda.malloc(32 * n, "force")
		local dcharge, dlist = cuda.malloc(8 * n, "charge"), cuda.malloc(4 * boxes * NEIGHBOURS, "neighbours")
		local dcount = cuda.malloc(4 * boxes, "neighbour_count")
		cuda.copy(dposition, position)
		cuda.copy(dcharge, charge)
		cuda.copy(dlist, list)
		cuda.copy(dcount, count)
		cuda.launch(m.lavamd, boxes, 128, { dposition, dcharge, dforce, dlist, dcount, cuda.f64(ALPHA) })
		local force = cuda.host("f64", 4 * n)
		cuda.copy(force, dforce)
		local at = sample(cuda, n, math.max(1, PAIRS_CHECKED // (NEIGHBOURS * PARTICLES)))
		cuda.check(function()
			for i in at do
				local ok, message = check_particle(i, force, position, charge, list, count)
				if not ok then
					return false, message
				end
			end
			return true
		end)
	end,
}
