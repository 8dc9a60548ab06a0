-- Particle filter: tracks a bright disk through a noisy video.
local need = require("lib.need")
local sample = require("lib.sample")

local THREADS = 512
local RADIUS = 5
local MOST_CHECKED = 1500 -- particles whose motion and likelihood are checked in a run, shared out over the frames

-- The video: background 100, the object 228, noise of +-15; pixel (x, y) of frame k is [(x * height + y) * frames +
-- k]. The object starts in the middle and moves by (1, -2) a frame, as the particles' model does.
local function make_video(cuda, p)
	local video = cuda.host("u8", p.width * p.height * p.frames)
	local noise = cuda.host("i32", #video):rand(-15, 15)
	for x = 0, p.width - 1 do
		for y = 0, p.height - 1 do
			for k = 0, p.frames - 1 do
				local dx, dy = x - p.width // 2 - (k + 1), y - p.height // 2 + 2 * (k + 1)
				local at = (x * p.height + y) * p.frames + k
				video[at] = (dx * dx + dy * dy < RADIUS * RADIUS and 228 or 100) + noise[at]
			end
		end
	end
	return video
end

local function disk()
	local offsets = {}
	for y = -RADIUS, RADIUS do
		for x = -RADIUS, RADIUS do
			if x * x + y * y < RADIUS * RADIUS then
				offsets[#offsets + 1] = { x, y }
			end
		end
	end
	return offsets
end

local function next_seed(seed)
	return (1103515245 * seed + 12345) & 0x7fffffff
end

-- Limits of sqrt(-2 ln u) cos(2 pi (v - 1/2)) as the kernel computes it in f32: the logarithm is off by 2^-22
-- absolutely or relatively, u by 2^-24 relatively, the cosine by 2^-20.9 and its argument by pi 2^-23.
local function normal_limits(seed)
	local a = next_seed(seed)
	local b = next_seed(a)
	local w = -2 * math.log(math.min(1, (a + 0.5) * 2.0 ^ -31))
	local off = 1e-6 * (1 + w)
	local low, high = math.max(0, w - off) ^ 0.5, (w + off) ^ 0.5
	local c = math.cos(2 * math.pi * ((b + 0.5) * 2.0 ^ -31 - 0.5))
	local c_low, c_high = c - 2e-6, c + 2e-6
	return math.min(low * c_low, high * c_low), math.max(high * c_high, low * c_high), b
end

local function check_motion(s, i)
	local low, high, seed = normal_limits(s.seeds_before[i])
	local x, y = s.drawn_x_before[i] + 1, s.drawn_y_before[i] - 2
	if not (s.x[i] >= x + 5 * low - 1e-9 and s.x[i] <= x + 5 * high + 1e-9) then
		return false, string.format("x[%d]: got %.9g, want about %.9g", i, s.x[i], x + 2.5 * (low + high))
	end
	low, high, seed = normal_limits(seed)
	if not (s.y[i] >= y + 2 * low - 1e-9 and s.y[i] <= y + 2 * high + 1e-9) then
		return false, string.format("y[%d]: got %.9g, want about %.9g", i, s.y[i], y + low + high)
	end
	if s.seeds[i] ~= seed then
		return false, string.format("seed[%d]: got %d, want %d", i, s.seeds[i], seed)
	end
	return true
end

-- The pixels are those at the device's own position, so the weight is right to double precision.
local function check_weight(s, i, p, frame)
	local x, y = math.floor(s.x[i] + 0.5), math.floor(s.y[i] + 0.5)
	local sum = 0.0
	for _, o in ipairs(p.offsets) do
		local px, py = x + o[1], y + o[2]
		local inside = px >= 0 and px < p.width and py >= 0 and py < p.height
		local v = p.video[inside and (px * p.height + py) * p.frames + frame or 0]
		sum = sum + ((v - 100) ^ 2 - (v - 228) ^ 2) / 50
	end
	local want = math.exp(sum / #p.offsets) / p.n
	if not (math.abs(s.weights[i] - want) <= 1e-10 * want) then
		return false, string.format("weight[%d]: got %.12g, want %.12g", i, s.weights[i], want)
	end
	return true
end

-- Sum, normalised weights, running sum, draws and the particles drawn, from the device's weights: all n of them.
local function check_resampling(s, n)
	local sum = 0.0
	for i = 0, n - 1 do
		sum = sum + s.weights[i]
	end
	local start = (next_seed(s.seeds[0] ~ 0x2545f491) + 0.5) * 2.0 ^ -31 / n
	local running, chosen = 0.0, 0
	for i = 0, n - 1 do
		if not (math.abs(s.normalized[i] * sum - s.weights[i]) <= 1e-12 * s.weights[i]) then
			return false, string.format("normalised weight[%d]: got %.12g", i, s.normalized[i])
		end
		running = running + s.normalized[i]
		if not (math.abs(s.running[i] - running) <= n * 2.0 ^ -52 * running) then -- n positive terms, n roundings
			return false, string.format("running sum[%d]: got %.17g, want %.17g", i, s.running[i], running)
		end
	end
	for i = 0, n - 1 do
		if not (math.abs(s.draws[i] - (start + i / n)) <= 1e-6 / n) then -- the start is a number of f32
			return false, string.format("draw[%d]: got %.12g, want %.12g", i, s.draws[i], start + i / n)
		end
		while chosen < n - 1 and s.running[chosen] < s.draws[i] do -- draws grow with i
			chosen = chosen + 1
		end
		if s.drawn_x[i] ~= s.x[chosen] or s.drawn_y[i] ~= s.y[chosen] then
			return false, string.format("particle %d drawn: got (%g, %g)", i, s.drawn_x[i], s.drawn_y[i])
		end
	end
	return true
end

local function check_frame(s, p, frame, at)
	for i in at do
		local ok, message = check_motion(s, i)
		if ok then
			ok, message = check_weight(s, i, p, frame)
		end
		if not ok then
			return false, message
		end
	end
	return check_resampling(s, p.n)
end

-- What there is per particle, in the order it is allocated in (that of pairs would differ from run to run).
local ORDER = { "x", "y", "drawn_x", "drawn_y", "weights", "normalized", "running", "draws", "seeds" }
local STATE = {
	x = "f64", y = "f64", drawn_x = "f64", drawn_y = "f64", weights = "f64", normalized = "f64",
	running = "f64", draws = "f64", seeds = "u32",
}

return {
	name = "particlefilter",
	help = "particle filter: four kernels a frame, serial parts, searches, f64 (n particles; frames; frame size)",
	kernels = "particlefilter.ptx",
	sizes = {
		small = { n = 520, frames = 2, width = 64, height = 64 },
		default = { n = 1000, frames = 10, width = 128, height = 128 },
		large = { n = 4000, frames = 6, width = 128, height = 128 },
	},
	run = function(cuda, p)
		local n, frames = need(p, "n", 1, 1 << 20), need(p, "frames", 1, 64)
		need(p, "width", 16, 2048)
		need(p, "height", 16, 2048)
		local m = cuda.module("particlefilter.ptx")
		p.video, p.offsets = make_video(cuda, p), disk()
		local offsets = cuda.host("i32", 2 * #p.offsets)
		for i, o in ipairs(p.offsets) do
			offsets[2 * i - 2], offsets[2 * i - 1] = o[1], o[2]
		end
		local d, s = {}, {}
		for _, name in ipairs(ORDER) do
			s[name] = cuda.host(STATE[name], n)
			d[name] = cuda.malloc((STATE[name] == "u32" and 4 or 8) * n, name)
		end
		s.drawn_x:fill(p.width // 2)
		s.drawn_y:fill(p.height // 2)
		s.seeds:rand(0, 0x7fffffff)
		local blocks = (n + THREADS - 1) // THREADS
		local dsums, dvideo = cuda.malloc(8 * blocks, "partial_sums"), cuda.malloc(#p.video, "video")
		local doffsets, dpixels = cuda.malloc(8 * #p.offsets, "offsets"), cuda.malloc(4 * n * #p.offsets, "pixels")
		cuda.copy(d.drawn_x, s.drawn_x)
		cuda.copy(d.drawn_y, s.drawn_y)
		cuda.copy(d.seeds, s.seeds)
		cuda.copy(dvideo, p.video)
		cuda.copy(doffsets, offsets)

		local ok, message = true, nil
		for frame = 0, frames - 1 do
			cuda.launch(m.pf_likelihood, blocks, THREADS, {
				d.x, d.y, d.drawn_x, d.drawn_y, d.seeds, d.weights, dsums, dvideo, doffsets, dpixels,
				#p.offsets, n, frame, frames, p.width, p.height,
			})
			cuda.launch(m.pf_sum, blocks, THREADS, { dsums, blocks })
			cuda.launch(m.pf_normalize, blocks, THREADS, {
				d.weights, d.normalized, dsums, d.running, d.draws, d.seeds, n,
			})
			cuda.launch(m.pf_find_index, blocks, THREADS, { d.x, d.y, d.running, d.draws, d.drawn_x, d.drawn_y, n })
			for _, name in ipairs({ "drawn_x", "drawn_y", "seeds" }) do -- what the next check compares with
				s[name .. "_before"] = s[name]
				s[name] = cuda.host(STATE[name], n)
			end
			for _, name in ipairs(ORDER) do
				cuda.copy(s[name], d[name])
			end
			if ok then
				ok, message = check_frame(s, p, frame, sample(cuda, n, math.max(100, MOST_CHECKED // frames)))
				message = ok or "frame " .. frame .. ": " .. message
			end
		end
		cuda.check(function()
			return ok, message
		end)
	end,
}
