-- Ray tracing of mirroring spheres on a chequered floor.
local need = require("lib.need")

local SPHERES, EPSILON, FAR, HORIZON = 64, 1e-3, 1e20, 30
local EYE, AMBIENT = 1.5, 0.25
local LIGHT = { -6, 9, 1 }

-- The scene as the kernel gets it, and as a table of tables for the reference.
local function scene(cuda, n)
	local place, look = cuda.host("f32", 4 * SPHERES), cuda.host("f32", 4 * SPHERES)
	local random, spheres = cuda.host("f32", 8 * n):rand(0, 1), {}
	for i = 0, n - 1 do
		local r = 0.4 + 0.9 * random[8 * i]
		place[4 * i] = 10 * random[8 * i + 1] - 5
		place[4 * i + 1] = r + 2 * random[8 * i + 2] ^ 3
		place[4 * i + 2] = 5 + 9 * random[8 * i + 3]
		place[4 * i + 3] = r
		for c = 0, 2 do
			look[4 * i + c] = 0.2 + 0.8 * random[8 * i + 4 + c]
		end
		look[4 * i + 3] = i % 3 == 0 and 0 or 0.2 + 0.6 * random[8 * i + 7] -- every third one is dull
		spheres[i + 1] = {
			x = place[4 * i], y = place[4 * i + 1], z = place[4 * i + 2], r = place[4 * i + 3],
			red = look[4 * i], green = look[4 * i + 1], blue = look[4 * i + 2], mirror = look[4 * i + 3],
		}
	end
	return place, look, spheres
end

local function hit(s, ox, oy, oz, dx, dy, dz)
	local cx, cy, cz = s.x - ox, s.y - oy, s.z - oz
	local b = cx * dx + cy * dy + cz * dz
	local disc = b * b - (cx * cx + cy * cy + cz * cz) + s.r * s.r
	if disc < 0 then
		return FAR
	end
	local root = disc ^ 0.5
	local t = b - root
	if t < EPSILON then
		t = b + root
	end
	return t < EPSILON and FAR or t
end

local function shadowed(spheres, x, y, z, lx, ly, lz, away)
	for _, s in ipairs(spheres) do
		if hit(s, x, y, z, lx, ly, lz) < away then
			return true
		end
	end
	return false
end

local FLOOR = { red = 0.9, green = 0.9, blue = 0.9, mirror = 0.1 }
local TILE = { red = 0.2, green = 0.2, blue = 0.2, mirror = 0.1 }

-- Colour of the ray from the camera at height eye in the direction (dx, dy, 1), in double precision.
local function trace(spheres, bounces, eye, dx, dy)
	local ox, oy, oz, dz = 0, eye, 0, 1
	local scale = 1 / (dx * dx + dy * dy + 1) ^ 0.5
	dx, dy, dz = dx * scale, dy * scale, scale
	local red, green, blue, weight = 0, 0, 0, 1
	for _ = 0, bounces do
		local best, what = FAR, nil
		if dy < -1e-6 and -oy / dy <= HORIZON then
			best, what = -oy / dy, FLOOR
		end
		for _, s in ipairs(spheres) do
			local t = hit(s, ox, oy, oz, dx, dy, dz)
			if t < best then
				best, what = t, s
			end
		end
		if not what then
			local up = 0.3 + 0.5 * math.max(dy, 0)
			return red + weight * up * 0.5, green + weight * up * 0.7, blue + weight * up
		end
		local px, py, pz = ox + best * dx, oy + best * dy, oz + best * dz
		local nx, ny, nz = 0, 1, 0
		if what ~= FLOOR then
			nx, ny, nz = (px - what.x) / what.r, (py - what.y) / what.r, (pz - what.z) / what.r
		elseif (math.floor(px) + math.floor(pz)) % 2 == 1 then
			what = TILE
		end
		local lx, ly, lz = LIGHT[1] - px, LIGHT[2] - py, LIGHT[3] - pz
		local away = (lx * lx + ly * ly + lz * lz) ^ 0.5
		lx, ly, lz = lx / away, ly / away, lz / away
		local lit, shade = nx * lx + ny * ly + nz * lz, AMBIENT
		if lit > 0 and not shadowed(spheres, px, py, pz, lx, ly, lz, away) then
			shade = shade + (1 - AMBIENT) * lit
		end
		local share = weight * (1 - what.mirror) * shade
		red, green, blue = red + share * what.red, green + share * what.green, blue + share * what.blue
		weight = weight * what.mirror
		if weight < 0.01 then
			break
		end
		local twice = 2 * (dx * nx + dy * ny + dz * nz)
		ox, oy, oz = px, py, pz
		dx, dy, dz = dx - twice * nx, dy - twice * ny, dz - twice * nz
	end
	return red, green, blue
end

return {
	name = "ray",
	help = "ray tracing of mirroring spheres: divergent, compute bound (width x height pixels, spheres, bounces)",
	kernels = "ray.ptx",
	sizes = {
		small = { width = 64, height = 48, spheres = 5, bounces = 4 },
		default = { width = 320, height = 256, spheres = 8, bounces = 4 },
		large = { width = 768, height = 640, spheres = 8, bounces = 4 },
	},
	run = function(cuda, p)
		local width, height = need(p, "width", 1, 8192), need(p, "height", 1, 8192)
		local n, bounces = need(p, "spheres", 0, SPHERES), need(p, "bounces", 0, 16)
		local m = cuda.module("ray.ptx")
		local place, look, spheres = scene(cuda, n)
		cuda.copy(cuda.symbol(m, "sphere"), place)
		cuda.copy(cuda.symbol(m, "surface"), look)
		local pixels = width * height
		local image, dimage = cuda.host("f32", 3 * pixels), cuda.malloc(12 * pixels, "image")
		cuda.memset(dimage, 0xff, 12 * pixels)
		local step = 1.5 / math.max(width, height)
		cuda.launch(m.trace, { (width + 15) // 16, (height + 7) // 8, 1 }, { 16, 8, 1 }, {
			dimage, width, height, n, bounces, cuda.f32(EYE), cuda.f32(step),
			cuda.f32(LIGHT[1]), cuda.f32(LIGHT[2]), cuda.f32(LIGHT[3]), cuda.f32(AMBIENT),
		})
		cuda.copy(image, dimage)
		cuda.check(function()
			-- Where a rounding decides what a ray hits, the kernel's colour may be another thing's. So the reference
			-- looks at six rays next to each, too: where their colours differ much, the pixel is not compared;
			-- elsewhere the difference must stay below theirs and a rounding. WOBBLE is a direction's: hits at
			-- distance 15 are off by some 4e-6, and a mirror of radius 0.4 makes 40 times that of it. About 1000
			-- pixels; an odd stride meets every thread of a CTA.
			local WOBBLE = 2e-4
			local around = { { -1, -1, 0 }, { 1, -1, 0 }, { -1, 1, 0 }, { 1, 1, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
			local stride, compared, looked = pixels // 1000 | 1, 0, 0
			for i = 0, pixels - 1, stride do
				local x, y = (i % width - 0.5 * (width - 1)) * step, (0.5 * (height - 1) - i // width) * step
				local want, spread = { trace(spheres, bounces, EYE, x, y) }, 0
				for _, a in ipairs(around) do
					local near = { trace(spheres, bounces, EYE + 5 * WOBBLE * a[3], x + WOBBLE * a[1], y + WOBBLE * a[2]) }
					for c = 1, 3 do
						spread = math.max(spread, math.abs(near[c] - want[c]))
					end
				end
				looked = looked + 1
				if spread < 0.02 then
					compared = compared + 1
					for c = 1, 3 do
						local got = image[(c - 1) * pixels + i]
						if not (math.abs(got - want[c]) <= 1e-4 + spread) then
							local format = "colour %d of pixel (%d, %d): got %.6g, want %.6g"
							return false, string.format(format, c, i % width, i // width, got, want[c])
						end
					end
				end
			end
			return compared >= 0.9 * looked, string.format("only %d of %d pixels can be compared", compared, looked)
		end)
	end,
}
