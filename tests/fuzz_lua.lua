-- Calls every function that scripts have with random arguments, and reads and writes every object with random keys: refused
-- or answered, but nothing may crash or hang. SEED and ROUNDS are globals set before. (tests/test_cli.sh, make fuzz)
local seed = SEED or 1
local function rnd(n) seed = (seed * 6364136223846793005 + 1442695040888963407); return ((seed >> 33) % n) + 1 end
local F, N = {}, {}
local skip = { ["cuda.sync"] = true }
local function collect(name, t, depth)
	for k, v in pairs(t) do
		local n = name .. "." .. tostring(k)
		if type(v) == "function" and not skip[n] then N[#N + 1] = n; F[n] = v
		elseif type(v) == "table" and depth > 0 then collect(n, v, depth - 1) end
	end
end
for _, m in ipairs({ "dbg", "gpu", "mem", "policy", "cuda" }) do if _G[m] and type(_G[m]) == "table" then collect(m, _G[m], 1) end end
table.sort(N)
local V = { function() return nil end, function() return 0 end, function() return -1 end, function() return 1 << 62 end, function() return 0/0 end,
	function() return 1e308 end, function() return 3.5 end, function() return "" end, function() return "cta-done" end, function() return "f32" end,
	function() return string.rep("x", 10000) end, function() return "\0\1\255" end, function() return {} end, function() return { sm = {}, [1] = 0/0 } end,
	function() return function() error("x") end end, function() return true end, function() return 0x100000000 end, function() return 64 end,
	function() return { pick = function() return 99 end, name = "n" } end, function() return coroutine.create(function() end) end, function() return "gpu.sm[0].warp[99]" end }
local ok, bad = 0, 0
for i = 1, ROUNDS or 3000 do
	local n = N[rnd(#N)]
	local a = {}
	local k = rnd(5) - 1
	for j = 1, k do a[j] = V[rnd(#V)]() end
	local good = pcall(F[n], table.unpack(a, 1, k))
	if good then ok = ok + 1 else bad = bad + 1 end
end
-- objects: every field with odd keys
for _, o in ipairs({ gpu, gpu.sm, gpu.sm[0], gpu.sm[0].warp, gpu.sm[0].warp[0], gpu.kernel, gpu.l2, gpu.dram, gpu.noc }) do
	for _, v in ipairs(V) do pcall(function() return o[v()] end) pcall(function() o[v()] = 1 end) end
end
print("functions", #N, "ok", ok, "refused", bad)
