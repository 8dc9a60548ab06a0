-- The Euler equations on an unstructured mesh, in double precision: the reference of cfd.lua, in the layout of its
-- kernels (see cfd.cu). Elements are 0-based; a mesh has n (elements), stride, neighbours, normals, areas and stream
-- (the free stream's density, momentum and energy).
local euler = {}

local GAMMA, SMOOTHING, STAGES, FACES = 1.4, 0.2, 3, 4
local WALL = -1

-- Velocity, pressure, speed and speed of sound of a state.
local function primitives(density, mx, my, mz, energy)
	local x, y, z = mx / density, my / density, mz / density
	local speed2 = x * x + y * y + z * z
	local pressure = (GAMMA - 1) * (energy - 0.5 * density * speed2)
	return x, y, z, pressure, speed2 ^ 0.5, (GAMMA * pressure / density) ^ 0.5
end

-- What crosses a face with normal (nx, ny, nz): for each of the five variables.
local function flux_along(nx, ny, nz, density, mx, my, mz, energy)
	local x, y, z, pressure = primitives(density, mx, my, mz, energy)
	local through = nx * x + ny * y + nz * z -- volume
	return nx * mx + ny * my + nz * mz,
		through * mx + nx * pressure,
		through * my + ny * pressure,
		through * mz + nz * pressure,
		through * (energy + pressure)
end

-- The sums over the faces of element i, for v the five variables' tables.
local function element_flux(mesh, v, i)
	local stride, neighbours, normals = mesh.stride, mesh.neighbours, mesh.normals
	local density, mx, my, mz, energy = v[1][i], v[2][i], v[3][i], v[4][i], v[5][i]
	local _, _, _, pressure, speed, sound = primitives(density, mx, my, mz, energy)
	local f1, f2, f3, f4, f5 = 0.0, 0.0, 0.0, 0.0, 0.0
	for j = 0, FACES - 1 do
		local at = j * stride + i
		local other = neighbours[at]
		local nx, ny, nz = normals[at], normals[at + FACES * stride], normals[at + 2 * FACES * stride]
		if other == WALL then
			f2, f3, f4 = f2 + nx * pressure, f3 + ny * pressure, f4 + nz * pressure
		else
			local d2, x2, y2, z2, e2
			if other >= 0 then
				d2, x2, y2, z2, e2 = v[1][other], v[2][other], v[3][other], v[4][other], v[5][other]
				local _, _, _, _, speed2, sound2 = primitives(d2, x2, y2, z2, e2)
				local length = (nx * nx + ny * ny + nz * nz) ^ 0.5
				local factor = -length * SMOOTHING * 0.5 * (speed + speed2 + sound + sound2)
				f1, f5 = f1 + factor * (density - d2), f5 + factor * (energy - e2)
				f2, f3, f4 = f2 + factor * (mx - x2), f3 + factor * (my - y2), f4 + factor * (mz - z2)
			else
				d2, x2, y2, z2, e2 = table.unpack(mesh.stream)
			end
			local a1, a2, a3, a4, a5 = flux_along(nx, ny, nz, density, mx, my, mz, energy)
			local b1, b2, b3, b4, b5 = flux_along(nx, ny, nz, d2, x2, y2, z2, e2)
			f1, f2, f3 = f1 + 0.5 * (a1 + b1), f2 + 0.5 * (a2 + b2), f3 + 0.5 * (a3 + b3)
			f4, f5 = f4 + 0.5 * (a4 + b4), f5 + 0.5 * (a5 + b5)
		end
	end
	return f1, f2, f3, f4, f5
end

-- The free stream's fluxes in the x, y and z direction, for cfd.cu's struct flux: mx, my, mz, energy.
function euler.stream_flux(stream)
	local columns = {}
	for axis = 1, 3 do
		local unit = { 0, 0, 0 }
		unit[axis] = 1
		columns[axis] = { flux_along(unit[1], unit[2], unit[3], table.unpack(stream)) }
	end
	local out = {}
	for _, variable in ipairs({ 2, 3, 4, 5 }) do
		for axis = 1, 3 do
			out[#out + 1] = columns[axis][variable]
		end
	end
	return out
end

-- Free stream at `mach` under two angles (radians), density 1.4 and pressure 1.
function euler.free_stream(mach, attack, yaw)
	local density, pressure = 1.4, 1.0
	local speed = mach * (GAMMA * pressure / density) ^ 0.5
	local x, y = math.cos(attack) * math.cos(yaw), math.sin(attack) * math.cos(yaw)
	return {
		density, density * speed * x, density * speed * y, density * speed * math.sin(yaw),
		density * 0.5 * speed * speed + pressure / (GAMMA - 1),
	}
end

-- A step in time of v, in place.
function euler.step(mesh, v)
	local n, factors, old = mesh.n, {}, {}
	for k = 1, 5 do
		old[k] = table.move(v[k], 0, n - 1, 0, {})
	end
	for i = 0, n - 1 do
		local _, _, _, _, speed, sound = primitives(v[1][i], v[2][i], v[3][i], v[4][i], v[5][i])
		factors[i] = 0.5 / (mesh.areas[i] ^ 0.5 * (speed + sound))
	end
	for stage = 0, STAGES - 1 do
		local f = { {}, {}, {}, {}, {} }
		for i = 0, n - 1 do
			f[1][i], f[2][i], f[3][i], f[4][i], f[5][i] = element_flux(mesh, v, i)
		end
		for k = 1, 5 do
			local now, start, flux = v[k], old[k], f[k]
			for i = 0, n - 1 do
				now[i] = start[i] + factors[i] / (STAGES - stage) * flux[i]
			end
		end
	end
end

return euler
