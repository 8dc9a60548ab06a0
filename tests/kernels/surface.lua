-- Surfaces of every shape. p.kernel: one that goes wrong on purpose, at byte p.x of row p.y.
local function image(cuda, m)
	local w, h, pitch = 37, 21, 640 -- texels of 16 bytes, rows with a gap behind
	local a, b = cuda.host("f32", pitch // 4 * h):rand(0, 16), cuda.host("f32", pitch // 4 * h):fill(-1)
	for i = 0, #a - 1 do
		a[i] = a[i] // 1
	end
	local da, db = cuda.malloc(pitch * h, "in"), cuda.malloc(pitch * h, "out")
	local function surface(addr)
		return cuda.surface { addr = addr, width = w, height = h, pitch = pitch, type = "f32", channels = 4 }
	end
	cuda.copy(da, a)
	cuda.copy(db, b)
	cuda.launch(m.image, { 3, 6 }, { 16, 4 }, { surface(da), surface(db), w, h })
	cuda.copy(b, db)
	local function clamp(v, n)
		return v < 0 and 0 or v < n and v or n - 1
	end
	cuda.check(function()
		for y = 0, h - 1 do
			for i = 0, pitch // 4 - 1 do
				local want = -1
				if i < 4 * w then
					want = 0
					for k = 0, 8 do
						local x, row = clamp(i // 4 + k % 3 - 1, w), clamp(y + k // 3 - 1, h)
						want = want + a[row * (pitch // 4) + 4 * x + i % 4]
					end
				end
				if b[y * (pitch // 4) + i] ~= want then
					return false, string.format("row %d, word %d: %g, not %g", y, i, b[y * (pitch // 4) + i], want)
				end
			end
		end
		return true
	end)
end

local function shift(cuda, m)
	local n = 50
	local a, b = cuda.host("u8", 2 * n):rand(), cuda.host("u8", 2 * n + 32):fill(77)
	local da, db = cuda.malloc(2 * n), cuda.malloc(2 * n + 32)
	cuda.copy(da, a)
	cuda.copy(db, b)
	local s = cuda.surface { addr = da, width = n, type = "u8", channels = 2 }
	local d = cuda.surface { addr = db, width = n, type = "u8", channels = 2 }
	cuda.launch(m.shift, 2, 32, { s, d, n })
	cuda.copy(b, db)
	cuda.check(function()
		for i = 0, #b - 1 do
			local want = i < 2 and 0 or i < 2 * n and a[i - 2] or 77
			if b[i] ~= want then
				return false, string.format("byte %d: %d, not %d", i, b[i], want)
			end
		end
		return true
	end)
end

local function layers(cuda, m)
	local w, h, n = 16, 5, 3
	local a, b = cuda.host("s16", w * h * n):rand(-999, 999), cuda.host("s16", w * h * n):fill(7)
	local da, db = cuda.malloc(2 * #a), cuda.malloc(2 * #a)
	cuda.copy(da, a)
	cuda.copy(db, b)
	local shape = { width = w, height = h, depth = n, type = "s16" }
	shape.addr = da
	local s = cuda.surface(shape)
	shape.addr = db
	local d = cuda.surface(shape)
	cuda.launch(m.layers, 2, { w, h }, { s, d }) -- slices 0 and 1 to layers 1 and 2
	cuda.copy(b, db)
	cuda.check(function()
		for i = 0, #b - 1 do
			local want = i < w * h and 7 or a[i - w * h]
			if b[i] ~= want then
				return false, string.format("element %d: %d, not %d", i, b[i], want)
			end
		end
		return true
	end)
	cuda.launch(m.layers, 3, { w, h }, { s, d }) -- slice 2 is clamped to layer 2: it or slice 1 is there
	cuda.copy(b, db)
	cuda.check(function()
		for i = 2 * w * h, #b - 1 do
			if b[i] ~= a[i] and b[i] ~= a[i - w * h] then
				return false, "layer 2"
			end
		end
		return true
	end)
end

local function rows(cuda, m)
	local a, b = cuda.host("u64", 4 * 32):rand(), cuda.host("u64", 4 * 32)
	local da, db = cuda.malloc(8 * #a), cuda.malloc(8 * #a)
	cuda.copy(da, a)
	local s = cuda.surface { addr = da, width = 32, depth = 4, type = "u32", channels = 2 }
	local d = cuda.surface { addr = db, width = 32, depth = 4, type = "u32", channels = 2 }
	cuda.launch(m.rows, 4, 32, { s, d })
	cuda.copy(b, db)
	cuda.check(function()
		for i = 0, #b - 1 do
			if b[i] ~= a[i] + i // 32 then
				return false, "element " .. i
			end
		end
		return true
	end)
end

local function guarded(cuda)
	local a, b = cuda.host("s32", 32):rand(1000, 2000), cuda.host("s32", 32)
	local da, db = cuda.malloc(128), cuda.malloc(128)
	cuda.copy(da, a)
	cuda.launch(cuda.module("surface_guard.ptx").guarded, 1, 32, { cuda.surface { addr = da, width = 30, type = "s32" }, db })
	cuda.copy(b, db)
	local after = cuda.host("s32", 32)
	cuda.copy(after, da)
	cuda.check(function()
		for i = 0, 31 do
			local got = i % 2 == 0 and 4 * i - 8 or i < 2 and 0 or a[i - 2]
			local left = i % 2 == 1 and i < 30 and i - 1 or a[i]
			if b[i] ~= got or after[i] ~= left then
				return false, string.format("lane %d: %d, not %d; %d left, not %d", i, b[i], got, after[i], left)
			end
		end
		return true
	end)
end

return {
	name = "surface",
	sizes = { default = { wrong = 0, x = 0, y = 0, width = 16 } },
	run = function(cuda, p)
		local m = cuda.module("surface.ptx")
		if p.wrong == 1 then
			local d = cuda.malloc(128 * 8, "small")
			local s = cuda.surface { addr = d, width = p.width, height = 8, pitch = 128, type = "u32" }
			cuda.launch(m.outside, 1, 16, { s, p.x, p.y })
			cuda.sync()
			local out = cuda.host("u32", 256)
			cuda.copy(out, d)
			cuda.print(out[32 * 3], out[32 * 3 + 15])
			return
		elseif p.wrong == 2 then
			cuda.launch(m.outside, 1, 16, { 12345, 0, 0 })
			return
		end
		image(cuda, m)
		shift(cuda, m)
		layers(cuda, m)
		rows(cuda, m)
		guarded(cuda)
	end,
}
