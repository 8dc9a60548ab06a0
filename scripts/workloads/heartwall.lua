-- Tracking points of two contours through synthetic ultrasound frames: one long kernel, one launch a frame.
local need = require("lib.need")

local BLOCK, ALPHA = 256, 0.75
-- Registers a thread as the published program has them (Park 2016, table 4.2: contexts of two CTAs of 512 threads, 12 kB of each
-- shared memory, are switched in 23.4 us; Awatramani 2015, table II: four CTAs of 256 on an SM of 32768). The compiler used
-- here keeps 64-bit addresses of all matrices and would need twice as many.
local REGISTERS = 28
local LEVELS = 64 -- grey levels: pixels are multiples of 1/64 within 0 .. 63/64

local function clamp(x, most) -- to within +-most
	return math.max(-most, math.min(most, x))
end

-- How far each of `side` rows or columns of the frame has moved, at most `most`: by a shift of all and a stretch around
-- the middle that both change from frame to frame, together by at most `reach`.
local function new_motion(side, reach, most)
	local shift, stretch, middle = 0, 0, (side - 1) / 2
	return function(shift_by, stretch_by)
		shift = clamp(shift + shift_by % (2 * (reach // 2) + 1) - reach // 2, most // 2)
		local part = reach - reach // 2
		stretch = clamp(stretch + stretch_by % (2 * part + 1) - part, most // 2)
		local moved = {}
		for i = 0, side - 1 do
			moved[i] = shift + math.floor(stretch * (i - middle) / middle + 0.5)
		end
		return moved
	end
end

-- A texture that moves from frame to frame, with new noise in each. Frames are square and in columns.
local function make_frames(cuda, p, side, most)
	local wide = side + 2 * most
	local texture = cuda.host("i32", wide * wide):rand(0, 55)
	local random = cuda.host("u32", 4 * p.frames):rand(0, 0xffffffff)
	local frames, move_rows, move_columns = {}, new_motion(side, p.reach, most), new_motion(side, p.reach, most)
	for f = 0, p.frames - 1 do
		local noise, frame = cuda.host("i32", side * side):rand(0, LEVELS - 1 - 55), cuda.host("f32", side * side)
		local rows = move_rows(random[4 * f], random[4 * f + 1])
		local columns = move_columns(random[4 * f + 2], random[4 * f + 3])
		for column = 0, side - 1 do
			local from = (column - columns[column] + most) * wide + most
			for row = 0, side - 1 do
				local at = column * side + row
				frame[at] = (texture[from + row - rows[row]] + noise[at]) / LEVELS
			end
		end
		frames[f] = frame
	end
	return frames
end

-- Points on two ellipses around the frame's middle, at least `margin` from its edge: row and column of each.
local function contours(cuda, points, side, margin)
	local first, inner = cuda.host("i32", 2 * points), points * 2 // 5
	local radius = (side - 1) / 2 - margin
	for i = 0, points - 1 do
		local outer = i >= inner
		local angle = 2 * math.pi * (outer and (i - inner) / (points - inner) or i / inner)
		local r = outer and radius or radius * 0.6
		first[2 * i] = math.floor((side - 1) / 2 + 0.9 * r * math.sin(angle))
		first[2 * i + 1] = math.floor((side - 1) / 2 + r * math.cos(angle))
	end
	return first
end

-- Correlation, sum and sum of squares of the window of a point with its template at position (r, c), as the kernel
-- defines them: pixels outside the window are 0.
local function correlate(frame, side, top, left, window, templ, t, stats, r, c)
	local size = 2 * t + 1
	local product, sum, square = 0.0, 0.0, 0.0
	for j = math.max(0, size - 1 - c), math.min(size - 1, window + size - 2 - c) do
		local from, at = (left + c - size + 1 + j) * side + top + r - size + 1, j * size
		for i = math.max(0, size - 1 - r), math.min(size - 1, window + size - 2 - r) do
			local pixel = frame[from + i]
			product, sum, square = product + templ[at + i] * pixel, sum + pixel, square + pixel * pixel
		end
	end
	local spread = (square - sum * sum / stats.n) * stats.variance
	return spread > 0 and (product - sum * stats.mean) / spread ^ 0.5 or 0, sum, square
end

local function statistics(templ, n)
	local sum, square = 0.0, 0.0
	for i = 0, n - 1 do
		sum, square = sum + templ[i], square + templ[i] * templ[i]
	end
	return { n = n, mean = sum / n, variance = square - sum * sum / n }
end

-- The pixels under a template at (row, column).
local function cut(frame, side, row, column, t)
	local out, at = {}, 0
	for c = column - t, column + t do
		for r = row - t, row + t do
			out[at] = frame[c * side + r]
			at = at + 1
		end
	end
	return out
end

-- The reference: templates, and each frame's answers one after the other, given the device's of the frame before.
local Tracker = {}
Tracker.__index = Tracker

function Tracker:correlate(i, frame, r, c)
	local top, left = self.first[2 * i] - self.s, self.first[2 * i + 1] - self.s
	return correlate(frame, self.side, top, left, 2 * self.s + 1, self.templates[i], self.t, self.stats[i], r, c)
end

-- Point i must have moved to the position with the highest correlation within reach, up to rounding.
function Tracker:check_move(i, frame, before, now)
	local centre = self.s + self.t
	local function range(axis)
		local at = centre + before[2 * i + axis] - self.first[2 * i + axis]
		return math.max(0, at - self.reach), math.min(2 * centre, at + self.reach)
	end
	local r0, r1 = range(0)
	local c0, c1 = range(1)
	local row, column = centre + now[2 * i] - self.first[2 * i], centre + now[2 * i + 1] - self.first[2 * i + 1]
	if row < r0 or row > r1 or column < c0 or column > c1 then
		return false, string.format("point %d moved beyond its reach, by (%d, %d)", i, now[2 * i] - before[2 * i],
			now[2 * i + 1] - before[2 * i + 1])
	end
	local mine = self:correlate(i, frame, row, column)
	for c = c0, c1 do
		for r = r0, r1 do
			local other = self:correlate(i, frame, r, c)
			if other > mine + self.slack then
				local format = "point %d went to (%d, %d) with a correlation of %.7g, want (%d, %d) with %.7g"
				return false, string.format(format, i, row, column, mine, r, c, other)
			end
		end
	end
	return true
end

-- The matrices of every stride-th point that the last launch left behind: correlation and sums at all positions.
function Tracker:check_matrices(frame, scratch, size, stride)
	local positions = 2 * (self.s + self.t) + 1
	local all = positions * positions
	for i = 0, self.points - 1, stride do
		local templ, window = 2 * self.t + 1, 2 * self.s + 1
		local at = i * size + templ * templ + window * window
		for e = 0, all - 1 do
			local ncc, sum, square = self:correlate(i, frame, e % positions, e // positions)
			local want = { ncc, sum, square }
			for k, name in ipairs({ "correlation", "sum", "sum of squares" }) do
				local got = scratch[at + (k - 1) * all + e]
				if not (math.abs(got - want[k]) <= (k == 1 and self.slack or self.sum_slack)) then
					local format = "point %d, %s at position %d: got %.9g, want %.9g"
					return false, string.format(format, i, name, e, got, want[k])
				end
			end
		end
	end
	return true
end

-- The masked correlations that the last launch left behind: those within reach of the position before, 0 elsewhere; the
-- new position has the highest.
function Tracker:check_mask(scratch, size, before, now)
	local positions, templ, window = 2 * (self.s + self.t) + 1, 2 * self.t + 1, 2 * self.s + 1
	local centre, all = self.s + self.t, positions * positions
	for i = 0, self.points - 1 do
		local plain = i * size + templ * templ + window * window
		local masked = plain + 4 * all
		local row, column = before[2 * i] - self.first[2 * i], before[2 * i + 1] - self.first[2 * i + 1]
		local to_row, to_column = now[2 * i] - self.first[2 * i], now[2 * i + 1] - self.first[2 * i + 1]
		local best = scratch[masked + (to_column + centre) * positions + to_row + centre]
		for e = 0, all - 1 do
			local dr, dc = e % positions - centre - row, e // positions - centre - column
			local inside = math.max(math.abs(dr), math.abs(dc)) <= self.reach
			local got, want = scratch[masked + e], inside and scratch[plain + e] or 0
			if got ~= want or got > best then
				local format = "point %d, masked correlation %d: got %.9g, want %.9g, at the new position %.9g"
				return false, string.format(format, i, e, got, want, best)
			end
		end
	end
	return true
end

-- What period-th frames do to the templates.
function Tracker:update(frame, now)
	for i = 0, self.points - 1 do
		local templ, fresh = self.templates[i], cut(frame, self.side, now[2 * i], now[2 * i + 1], self.t)
		for e = 0, #fresh do
			templ[e] = ALPHA * templ[e] + (1 - ALPHA) * fresh[e]
		end
		self.stats[i] = statistics(templ, #templ + 1)
	end
end

-- The templates after the last frame: mixtures of pixels below 1, rounded three times an update.
function Tracker:check_templates(scratch, size)
	for i = 0, self.points - 1 do
		local templ = self.templates[i]
		for e = 0, #templ do
			local got = scratch[i * size + e]
			if not (math.abs(got - templ[e]) <= 2.0 ^ -20) then
				return false, string.format("point %d, template[%d]: got %.9g, want %.9g", i, e, got, templ[e])
			end
		end
	end
	return true
end

local function new_tracker(p, side, first, frame)
	local n = (2 * p.t + 1) * (2 * p.t + 1)
	local tracker = setmetatable({
		points = p.points, side = side, first = first, t = p.t, s = p.s, reach = p.reach,
		templates = {}, stats = {},
		-- A correlation is a quotient of sums of n products with roundings of 2^-24; the sums are up to four times
		-- their differences (mean^2 / variance of a uniform distribution is 3), and numerator and denominator count.
		slack = (n + 16) * 2.0 ^ -22,
		-- Sums of multiples of 2^-12 below 2^12: exact. Larger windows round their cumulative sums.
		sum_slack = p.s <= 31 and 0 or 2.0 ^ -10,
	}, Tracker)
	for i = 0, p.points - 1 do
		tracker.templates[i] = cut(frame, side, first[2 * i], first[2 * i + 1], p.t)
		tracker.stats[i] = statistics(tracker.templates[i], n)
	end
	return tracker
end

return {
	name = "heartwall",
	help = "template tracking, one long kernel (points, frames, side, template t, window s, reach, period)",
	kernels = "heartwall.ptx",
	sizes = {
		small = { points = 9, frames = 2, t = 3, s = 6, reach = 2, period = 1, side = 96 },
		default = { points = 51, frames = 3, t = 4, s = 8, reach = 3, period = 1, side = 160 },
		large = { points = 51, frames = 5, t = 5, s = 11, reach = 4, period = 2, side = 192 },
	},
	run = function(cuda, p)
		local points, frames = need(p, "points", 5, 4096), need(p, "frames", 2, 1000)
		local t, s = need(p, "t", 1, 25), need(p, "s", 1, 40) -- what the kernel's shared memory holds
		local reach, period = need(p, "reach", 1, s), need(p, "period", 1, 1000)
		local margin = s + 2 * t -- a template at the edge of the window at the edge of the frame
		local side = need(p, "side", 2 * margin + 2, 4096)
		local m = cuda.module("heartwall.ptx")
		local pictures = make_frames(cuda, p, side, s)
		local first, now = contours(cuda, points, side, margin), cuda.host("i32", 2 * points)
		local positions, padded = 2 * (s + t) + 1, 2 * s + 1 + 2 * (2 * t + 1)
		local size = (2 * t + 1) * (2 * t + 1) + (2 * s + 1) * (2 * s + 1) + 4 * positions * positions
		size = size + padded * padded + positions * padded
		local dframe, dscratch = cuda.malloc(4 * side * side, "frame"), cuda.malloc(4 * points * size, "matrices")
		local dfirst, dnow = cuda.malloc(8 * points, "first positions"), cuda.malloc(8 * points, "positions")
		cuda.copy(dfirst, first)
		cuda.copy(dnow, first)
		cuda.copy(now, dnow)
		local tracker = new_tracker(p, side, first, pictures[0])
		local ok, message = true, nil
		for f = 0, frames - 1 do
			local frame, before = pictures[f], cuda.host("i32", 2 * points)
			cuda.copy(before, dnow)
			cuda.copy(dframe, frame)
			cuda.launch(m.heartwall, points, BLOCK, {
				dframe, side, f, dfirst, dnow, dscratch, size, t, s, reach, period, cuda.f32(ALPHA),
			}, { regs = REGISTERS })
			cuda.copy(now, dnow)
			for i = 0, f > 0 and points - 1 or -1 do
				if ok then
					ok, message = tracker:check_move(i, frame, before, now)
					message = message and string.format("frame %d: %s", f, message)
				end
			end
			local scratch = cuda.host("f32", f == frames - 1 and points * size or 0)
			if f == frames - 1 and ok then
				cuda.copy(scratch, dscratch)
				-- All positions of all points while that is below 2 million products, else of a share of the points.
				local products = points * positions * positions * (2 * t + 1) * (2 * t + 1)
				ok, message = tracker:check_matrices(frame, scratch, size, 1 + products // 2000000)
			end
			if f == frames - 1 and ok then
				ok, message = tracker:check_mask(scratch, size, before, now)
			end
			if f > 0 and f % period == 0 and ok then
				tracker:update(frame, now)
			end
			if f == frames - 1 and ok then
				ok, message = tracker:check_templates(scratch, size)
			end
		end
		cuda.check(function()
			return ok, message
		end)
	end,
}
