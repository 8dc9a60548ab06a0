-- Finding and tracking white blood cells: gradients along circles, dilation, diffusion of edge maps.
local need = require("lib.need")
local sample = require("lib.sample")

local MARGIN, CIRCLES, POINTS, DISK = 22, 7, 150, 25
local WIN_ROWS, WIN_COLUMNS, THREADS = 41, 81, 320
local PIXELS = WIN_ROWS * WIN_COLUMNS
-- Registers a thread of the published kernel, of which one CTA fits an SM of 32768 (Park 2016, table 4.2); ours would need
-- fewer.
local IMGVF_REGS = 59
local VX, VY, EPSILON = 1, 1, 0.125 -- direction of the flow; how sharp its step is
local DIFFUSE_CUTOFF = 0.0005 -- mean change at which a window is done
local TAPS_CHECKED = 400000 -- points of circles the reference reads; pixels are sampled to keep to it
local DILATED_CHECKED = 1500
local WINDOWS_CHECKED = 1.0e6 -- pixels times iterations

-- The gradient of a frame with bright disks: along a disk's edge it points outwards; noise everywhere.
local function make_gradient(cuda, p)
	local n = p.rows * p.columns
	local gx, gy = cuda.host("f32", n):rand(-0.3, 0.3), cuda.host("f32", n):rand(-0.3, 0.3)
	local random = cuda.host("f64", 3 * p.disks):rand(0, 1)
	for d = 0, p.disks - 1 do
		local row = MARGIN + random[3 * d] * (p.rows - 2 * MARGIN)
		local column = MARGIN + random[3 * d + 1] * (p.columns - 2 * MARGIN)
		local radius = 9 + 8 * random[3 * d + 2]
		for x = 0, p.columns - 1 do
			for y = 0, p.rows - 1 do
				local dx, dy = x - column, y - row
				local r = (dx * dx + dy * dy) ^ 0.5
				if math.abs(r - radius) < 1.5 then
					local at = x * p.rows + y
					gx[at], gy[at] = gx[at] + dx / r, gy[at] + dy / r
				end
			end
		end
	end
	return gx, gy
end

-- Angles, circles (of radius 8, 10 .. 20) and the dilation's disk, also copied to the kernels' constant memory.
local function set_constants(cuda, m, points, side)
	local c = { cosine = cuda.host("f32", POINTS), sine = cuda.host("f32", POINTS) }
	c.x, c.y = cuda.host("i32", CIRCLES * POINTS), cuda.host("i32", CIRCLES * POINTS)
	c.disk = cuda.host("f32", side * side)
	for n = 0, points - 1 do
		local angle = 2 * math.pi * n / points
		c.cosine[n], c.sine[n] = math.cos(angle), math.sin(angle)
		for k = 0, CIRCLES - 1 do
			c.x[k * POINTS + n] = math.floor((8 + 2 * k) * math.cos(angle) + 0.5)
			c.y[k * POINTS + n] = math.floor((8 + 2 * k) * math.sin(angle) + 0.5)
		end
	end
	for y = 0, side - 1 do
		for x = 0, side - 1 do
			local dx, dy = x - side // 2, y - side // 2
			c.disk[y * side + x] = dx * dx + dy * dy <= (side // 2) ^ 2 and 1 or 0
		end
	end
	cuda.copy(cuda.symbol(m, "cosines"), c.cosine)
	cuda.copy(cuda.symbol(m, "sines"), c.sine)
	cuda.copy(cuda.symbol(m, "circle_x"), c.x)
	cuda.copy(cuda.symbol(m, "circle_y"), c.y)
	cuda.copy(cuda.symbol(m, "disk"), c.disk)
	return c
end

-- The mean is a running one with a quotient of 2 units in the last place per point: after 150 points off by about 2e-5
-- relative to the largest value; variances here are a tenth and more of the squares of values. One wrong point out of
-- 150 changes the result by a percent.
local function check_gicov(gicov, gx, gy, c, p, at)
	local inner = p.rows - 2 * MARGIN
	for i in at do
		local row, column = MARGIN + i % inner, MARGIN + i // inner
		local best = 0
		for k = 0, CIRCLES - 1 do
			local sum, squares = 0.0, 0.0
			for n = 0, p.points - 1 do
				local from = (column + c.x[k * POINTS + n]) * p.rows + row + c.y[k * POINTS + n]
				local v = gx[from] * c.cosine[n] + gy[from] * c.sine[n]
				sum, squares = sum + v, squares + v * v
			end
			local mean = sum / p.points
			best = math.max(best, mean * mean / (squares / p.points - mean * mean))
		end
		local got = gicov[column * p.rows + row]
		if not (math.abs(got - best) <= 2e-4 * best + 1e-6) then
			return false, string.format("gicov at (%d, %d): got %.9g, want %.9g", row, column, got, best)
		end
	end
	return true
end

local function check_dilated(dilated, gicov, c, p, at)
	for i in at do
		local row, column, want = i // p.columns, i % p.columns, 0
		for dy = 0, p.side - 1 do
			for dx = 0, p.side - 1 do
				local y, x = row + dy - p.side // 2, column + dx - p.side // 2
				if c.disk[dy * p.side + dx] ~= 0 and y >= 0 and y < p.rows and x >= 0 and x < p.columns then
					want = math.max(want, gicov[x * p.rows + y])
				end
			end
		end
		if dilated[i] ~= want then
			return false, string.format("dilated at (%d, %d): got %.9g, want %.9g", row, column, dilated[i], want)
		end
	end
	return true
end

-- The strongest local maxima: pixels that are the largest in the disk around them. At least one, at most `most`.
local function find_cells(gicov, dilated, p, most)
	local cells = {}
	for row = MARGIN, p.rows - MARGIN - 1 do
		for column = MARGIN, p.columns - MARGIN - 1 do
			local v = gicov[column * p.rows + row]
			if v == dilated[row * p.columns + column] then
				cells[#cells + 1] = { row = row, column = column, value = v }
			end
		end
	end
	table.sort(cells, function(a, b)
		if a.value ~= b.value then
			return a.value > b.value
		end
		return a.row < b.row or a.row == b.row and a.column < b.column
	end)
	for i = #cells, most + 1, -1 do
		cells[i] = nil
	end
	return cells
end

-- A window around each cell: the strength of the gradient, scaled to 0..1; beyond the frame its last pixels.
local function cut_windows(cuda, cells, gx, gy, p)
	local edges = cuda.host("f32", math.max(1, #cells) * PIXELS)
	for k, cell in ipairs(cells) do
		for i = 0, PIXELS - 1 do
			local row = math.max(0, math.min(p.rows - 1, cell.row + i // WIN_COLUMNS - WIN_ROWS // 2))
			local column = math.max(0, math.min(p.columns - 1, cell.column + i % WIN_COLUMNS - WIN_COLUMNS // 2))
			local at = column * p.rows + row
			edges[(k - 1) * PIXELS + i] = math.min(1, 0.6 * (gx[at] * gx[at] + gy[at] * gy[at]) ^ 0.5)
		end
	end
	return edges
end

local function flow(difference, direction)
	local x = difference * direction / EPSILON
	return x > 0.0001 and difference or x > -0.0001 and 0.5 * difference or 0
end

-- One iteration of the diffusion; returns the new window and the mean change.
local function diffuse(v, edge)
	local new, change = {}, 0.0
	for row = 0, WIN_ROWS - 1 do
		local up, down = row > 0 and -WIN_COLUMNS or 0, row < WIN_ROWS - 1 and WIN_COLUMNS or 0
		for column = 0, WIN_COLUMNS - 1 do
			local i = row * WIN_COLUMNS + column
			local left, right = column > 0 and -1 or 0, column < WIN_COLUMNS - 1 and 1 or 0
			local now = v[i]
			local sum = flow(v[i + up + left] - now, VY - VX)
				+ flow(v[i + up] - now, VY)
				+ flow(v[i + up + right] - now, VX + VY)
				+ flow(v[i + left] - now, -VX)
				+ flow(v[i + right] - now, VX)
				+ flow(v[i + down + left] - now, -VX - VY)
				+ flow(v[i + down] - now, -VY)
				+ flow(v[i + down + right] - now, VX - VY)
			local next_ = now + 0.1 * sum
			next_ = next_ - 0.2 * edge[i] * (next_ - edge[i])
			new[i] = next_
			change = change + math.abs(next_ - now)
		end
	end
	return new, change / PIXELS
end

-- Repeats as many iterations as the device did. A difference within rounding of the step function's limits, of about
-- 1e-5, may take half of it or not: 1e-6 in an iteration; the diffusion averages such errors, it does not amplify
-- them. So 1e-5 + 1e-6 an iteration is ample, and a wrong neighbour is an error of 1e-3 and more at an edge.
local function check_window(result, edges, k, iterations, change, p)
	local edge, v, last = {}, {}, math.huge
	for i = 0, PIXELS - 1 do
		edge[i] = edges[k * PIXELS + i]
		v[i] = edge[i]
	end
	local slack = 1e-5 + 1e-6 * iterations
	for iteration = 1, iterations do
		if last < DIFFUSE_CUTOFF - slack then
			return false, string.format("cell %d: went on after iteration %d", k, iteration - 1)
		end
		v, last = diffuse(v, edge)
	end
	if iterations < p.iterations and last > DIFFUSE_CUTOFF + slack then
		return false, string.format("cell %d: stopped after %d iterations at a change of %g", k, iterations, last)
	end
	if not (math.abs(change - last) <= slack) then
		return false, string.format("cell %d: got a change of %.9g, want %.9g", k, change, last)
	end
	for i = 0, PIXELS - 1 do
		if not (math.abs(result[k * PIXELS + i] - v[i]) <= slack) then
			return false, string.format("cell %d, pixel %d: got %.9g, want %.9g", k, i, result[k * PIXELS + i], v[i])
		end
	end
	return true
end

local function texture_of(cuda, addr, p)
	return cuda.texture({ addr = addr, width = p.rows, height = p.columns, pitch = 4 * p.rows, type = "f32" })
end

-- Gradients to GICOV to dilation, checked on the way; returns both images.
local function detect(cuda, m, gx, gy, p)
	local n = p.rows * p.columns
	local c = set_constants(cuda, m, p.points, p.side)
	local dgx, dgy = cuda.malloc(4 * n, "grad_x"), cuda.malloc(4 * n, "grad_y")
	local dgicov, ddilated = cuda.malloc(4 * n, "gicov"), cuda.malloc(4 * n, "dilated")
	cuda.copy(dgx, gx)
	cuda.copy(dgy, gy)
	local rows, columns = p.rows - 2 * MARGIN, p.columns - 2 * MARGIN
	cuda.launch(m.leukocyte_gicov, columns, rows, {
		texture_of(cuda, dgx, p), texture_of(cuda, dgy, p), dgicov, p.rows, p.points,
	})
	cuda.launch(m.leukocyte_dilate, (n + 175) // 176, 176, {
		texture_of(cuda, dgicov, p), ddilated, p.rows, p.columns, p.side,
	})
	local gicov, dilated = cuda.host("f32", n), cuda.host("f32", n)
	cuda.copy(gicov, dgicov)
	cuda.copy(dilated, ddilated)
	local at = sample(cuda, rows * columns, math.max(20, TAPS_CHECKED // (CIRCLES * p.points)))
	cuda.check(function()
		return check_gicov(gicov, gx, gy, c, p, at)
	end)
	at = sample(cuda, n, DILATED_CHECKED)
	cuda.check(function()
		return check_dilated(dilated, gicov, c, p, at)
	end)
	return gicov, dilated
end

local function track(cuda, m, cells, edges, p)
	local n = #cells
	local dedges, dresult = cuda.malloc(4 * PIXELS * n, "edges"), cuda.malloc(4 * PIXELS * n, "imgvf")
	local diterations, dchanges = cuda.malloc(4 * n, "iterations"), cuda.malloc(4 * n, "changes")
	cuda.copy(dedges, edges)
	cuda.launch(m.leukocyte_imgvf, n, THREADS, {
		dedges, dresult, diterations, dchanges,
		cuda.f32(VX), cuda.f32(VY), cuda.f32(EPSILON), p.iterations, cuda.f32(DIFFUSE_CUTOFF),
	}, { regs = IMGVF_REGS })
	local result, iterations, changes = cuda.host("f32", PIXELS * n), cuda.host("i32", n), cuda.host("f32", n)
	cuda.copy(result, dresult)
	cuda.copy(iterations, diterations)
	cuda.copy(changes, dchanges)
	local at = sample(cuda, n, math.max(1, math.floor(WINDOWS_CHECKED / (PIXELS * p.iterations))))
	cuda.check(function()
		for k in at do
			if iterations[k] < 1 or iterations[k] > p.iterations then
				return false, string.format("cell %d: got %d iterations", k, iterations[k])
			end
			local ok, message = check_window(result, edges, k, iterations[k], changes[k], p)
			if not ok then
				return false, message
			end
		end
		return true
	end)
end

return {
	name = "leukocyte",
	help = "cell tracking: circles by texture, dilation, diffusion in shared memory (frame size, points, cells, ...)",
	kernels = "leukocyte.ptx",
	sizes = {
		small = { rows = 76, columns = 46, points = 24, side = 5, disks = 2, cells = 1, iterations = 2 },
		default = { rows = 108, columns = 60, points = 150, side = 25, disks = 6, cells = 6, iterations = 20 },
		large = { rows = 220, columns = 92, points = 150, side = 25, disks = 16, cells = 16, iterations = 40 },
	},
	run = function(cuda, p)
		need(p, "rows", 2 * MARGIN + 1, 2 * MARGIN + 1024) -- a thread a row, without the margins
		need(p, "columns", 2 * MARGIN + 1, 4096)
		need(p, "points", 8, POINTS)
		need(p, "side", 3, DISK)
		need(p, "disks", 0, 1000)
		need(p, "cells", 1, 10000)
		need(p, "iterations", 1, 1000)
		local m = cuda.module("leukocyte.ptx")
		local gx, gy = make_gradient(cuda, p)
		local gicov, dilated = detect(cuda, m, gx, gy, p)
		local cells = find_cells(gicov, dilated, p, p.cells)
		cuda.check(function()
			return #cells > 0, "no pixel is the largest around itself: dilation is wrong"
		end)
		if #cells > 0 then
			track(cuda, m, cells, cut_windows(cuda, cells, gx, gy, p), p)
		end
	end,
}
