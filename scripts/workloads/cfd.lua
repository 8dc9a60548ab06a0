-- Compressible flow through a channel of irregular elements: the Euler equations on an unstructured mesh.
local need = require("lib.need")
local euler = require("lib.euler")

local BLOCK, FACES, STAGES = 192, 4, 3
local WALL, FREE_STREAM = -1, -2
-- Registers a thread of compute_flux with which three CTAs fit an SM of 32768, as published (Awatramani 2015, table II).
local FLUX_REGISTERS = 56
local LEAN_X, LEAN_Y = 0.1, 0.2 -- of the elements' side faces, so that normals have three components

-- A permutation of 0 .. n-1 that moves no element far: neighbours in space are near, but not next to each other, in
-- memory.
local function numbering(cuda, n)
	local number, random = {}, cuda.host("i32", n):rand(0, 63)
	for i = 0, n - 1 do
		number[i] = i
	end
	for i = 0, n - 1 do
		local j = math.min(i + random[i], n - 1)
		number[i], number[j] = number[j], number[i]
	end
	return number
end

-- columns x rows quadrangles with corners off the grid, extruded: walls below and above, free stream left and right.
local function make_mesh(cuda, columns, rows)
	local n = columns * rows
	local stride = (n + BLOCK - 1) // BLOCK * BLOCK
	local mesh = {
		n = n, stride = stride,
		neighbours = cuda.host("i32", FACES * stride):fill(WALL),
		normals = cuda.host("f32", 3 * FACES * stride),
		areas = cuda.host("f32", stride):fill(1),
	}
	local number, turn = numbering(cuda, n), cuda.host("i32", n):rand(0, FACES - 1)
	local pitch = columns + 1
	local off_x = cuda.host("f32", pitch * (rows + 1)):rand(-0.2, 0.2)
	local off_y = cuda.host("f32", pitch * (rows + 1)):rand(-0.2, 0.2)
	local function corner(x, y)
		local at = y * pitch + x
		return x + off_x[at], y + off_y[at]
	end
	-- Face `j` of element `id` from one corner to the next, counterclockwise: edge x height, pointing inwards.
	local function face(id, j, neighbour, x0, y0, x1, y1)
		local at, dx, dy = (j + turn[id]) % FACES * stride + id, x1 - x0, y1 - y0
		mesh.neighbours[at] = neighbour
		mesh.normals[at] = -dy
		mesh.normals[at + FACES * stride] = dx
		mesh.normals[at + 2 * FACES * stride] = dy * LEAN_X - dx * LEAN_Y
	end
	for y = 0, rows - 1 do
		for x = 0, columns - 1 do
			local cell = y * columns + x
			local id = number[cell]
			local ax, ay = corner(x, y)
			local bx, by = corner(x + 1, y)
			local cx, cy = corner(x + 1, y + 1)
			local dx, dy = corner(x, y + 1)
			face(id, 0, y > 0 and number[cell - columns] or WALL, ax, ay, bx, by)
			face(id, 1, x < columns - 1 and number[cell + 1] or FREE_STREAM, bx, by, cx, cy)
			face(id, 2, y < rows - 1 and number[cell + columns] or WALL, cx, cy, dx, dy)
			face(id, 3, x > 0 and number[cell - 1] or FREE_STREAM, dx, dy, ax, ay)
			mesh.areas[id] = 0.5 * ((cx - ax) * (dy - by) - (dx - bx) * (cy - ay))
		end
	end
	return mesh
end

-- The free stream, up to 5 % off in each variable of each element; padding elements as the free stream is.
local function initial(cuda, mesh)
	local n, stride = mesh.n, mesh.stride
	local variables = cuda.host("f32", 5 * stride):rand(0.95, 1.05)
	for k = 0, 4 do
		for i = 0, stride - 1 do
			local at = k * stride + i
			variables[at] = mesh.stream[k + 1] * (i < n and variables[at] or 1)
		end
	end
	return variables
end

local function check(mesh, start, result, iterations)
	local n, stride, v = mesh.n, mesh.stride, {}
	for k = 1, 5 do
		v[k] = {}
		for i = 0, n - 1 do
			v[k][i] = start[(k - 1) * stride + i]
		end
	end
	for _ = 1, iterations do
		euler.step(mesh, v)
	end
	-- Variables within 0.1 .. 4, three stages a step with some ten roundings of 2^-24 of terms of that size, mostly
	-- averaged out by the faces; a missing face is an error of about 0.1.
	local tolerance = 1e-6 * (2 + iterations)
	for k = 1, 5 do
		for i = 0, n - 1 do
			local got, want = result[(k - 1) * stride + i], v[k][i]
			if not (math.abs(got - want) <= tolerance) then
				return false, string.format("variable %d of element %d: got %.9g, want %.9g", k - 1, i, got, want)
			end
		end
	end
	return true
end

return {
	name = "cfd",
	help = "Euler equations on an unstructured mesh: long phases, many registers, gathers (columns x rows, iterations)",
	kernels = "cfd.ptx",
	sizes = {
		small = { columns = 48, rows = 32, iterations = 1 },
		default = { columns = 144, rows = 96, iterations = 2 },
		large = { columns = 288, rows = 192, iterations = 3 },
	},
	run = function(cuda, p)
		local columns, rows = need(p, "columns", 1, 2048), need(p, "rows", 1, 2048)
		local iterations = need(p, "iterations", 1, 100)
		local m, mesh = cuda.module("cfd.ptx"), make_mesh(cuda, columns, rows)
		mesh.stream = euler.free_stream(1.2, 0.1, 0.05) -- 0.1 and 0.05 rad: about 6 and 3 degrees
		local stride = mesh.stride
		local stream, stream_flux = cuda.host("f32", 5), cuda.host("f32", 12)
		for k, value in ipairs(mesh.stream) do
			stream[k - 1] = value
		end
		for k, value in ipairs(euler.stream_flux(mesh.stream)) do
			stream_flux[k - 1] = value
		end
		local start, result = initial(cuda, mesh), cuda.host("f32", 5 * stride)
		local dneighbours = cuda.malloc(4 * FACES * stride, "neighbours")
		local dnormals, dareas = cuda.malloc(12 * FACES * stride, "normals"), cuda.malloc(4 * stride, "areas")
		local dvariables, dold = cuda.malloc(20 * stride, "variables"), cuda.malloc(20 * stride, "old variables")
		local dfluxes, dfactors = cuda.malloc(20 * stride, "fluxes"), cuda.malloc(4 * stride, "step factors")
		cuda.copy(cuda.symbol(m, "stream"), stream)
		cuda.copy(cuda.symbol(m, "stream_flux"), stream_flux)
		cuda.copy(dneighbours, mesh.neighbours)
		cuda.copy(dnormals, mesh.normals)
		cuda.copy(dareas, mesh.areas)
		cuda.copy(dvariables, start)

		local grid = stride // BLOCK
		for _ = 1, iterations do
			cuda.copy(result, dvariables)
			cuda.copy(dold, result)
			cuda.launch(m.compute_step_factor, grid, BLOCK, { dvariables, dareas, dfactors, stride })
			for stage = 0, STAGES - 1 do
				cuda.launch(m.compute_flux, grid, BLOCK, {
					dneighbours, dnormals, dvariables, dfluxes, stride,
				}, { regs = FLUX_REGISTERS })
				cuda.launch(m.time_step, grid, BLOCK, { stage, stride, dold, dvariables, dfactors, dfluxes })
			end
		end
		cuda.copy(result, dvariables)
		cuda.check(function()
			return check(mesh, start, result, iterations)
		end)
	end,
}
