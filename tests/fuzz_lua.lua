-- Calls every function that scripts have with random arguments, and reads and writes every object with random keys: refused
-- or answered, but nothing may crash or hang. SEED and ROUNDS are globals set before. Run by tests/tools/fuzz_lua.sh, which
-- tells what it found from its own errors: of the functions that it hands over one raises (RAISED), and a call that fails
-- in this file's own code (FAULT) has tried nothing.
local RAISED, FAULT = "raised by the fuzzer's function", "the fuzzer's own fault"
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
local ok, bad, raised, faults = 0, 0, 0, 0
local V = { function() return nil end, function() return 0 end, function() return -1 end, function() return 1 << 62 end, function() return 0/0 end,
	function() return 1e308 end, function() return 3.5 end, function() return "" end, function() return "cta-done" end, function() return "f32" end,
	function() return string.rep("x", 10000) end, function() return "\0\1\255" end, function() return {} end, function() return { sm = {}, [1] = 0/0 } end,
	function() return function() raised = raised + 1; error(RAISED, 0) end end, function() return true end, function() return 0x100000000 end, function() return 64 end,
	function() return { pick = function() return 99 end, name = "n" } end, function() return coroutine.create(function() end) end, function() return "gpu.sm[0].warp[99]" end,
	-- what some functions ask for, so that they get beyond their first argument
	function() return ({ "switch", "drain", "flush", "chimera", "cta-swap-out", "preempt-done", "lcs", "vt", "spatial", "mesh" })[rnd(10)] end,
	function() return { kernel = rnd(3) - 2, sms = rnd(18) - 2, within = rnd(30) - 2, by = ({ "switch", "drain", "flush", "chimera", 7 })[rnd(5)] } end,
	function() return { kernel = 0, sms = { 1, 3, rnd(20) }, sm = "1,3-4", within = 1e9 } end, function() return { sm = rnd(16) - 1, cta = rnd(64) - 1, warp = 1 / 0 } end,
	function() return ({ "info energy", "complete set cta-", "inspect l1_thrash", "pause cta " .. rnd(20), "drop cta 1", "save cta " .. rnd(20), "restore cta " .. rnd(20),
		"preempt kernel 0 sms 3 within 2 by switch", "release sms", "set cta-sched lcs", "set cta-virtual vt", "set preempt drain", "reverse-step 9", "undo" })[rnd(14)] end }
-- What a call is refused with is a text that is not about this file's lines.
local function judge(what, good, message)
	if good then ok = ok + 1 else bad = bad + 1 end
	if good or type(message) == "string" and not message:find("fuzz_lua%.lua:%d+:") then return end
	faults = faults + 1
	print(FAULT, what, message)
end
if #N < 30 then print(FAULT, "functions found: " .. #N) faults = faults + 1 end
for i = 1, ROUNDS or 3000 do
	local n = N[rnd(#N)]
	local a = {}
	local k = rnd(5) - 1
	for j = 1, k do a[j] = V[rnd(#V)]() end
	judge(n, pcall(F[n], table.unpack(a, 1, k)))
end
-- objects: every field with odd keys
local O = { "gpu", "gpu.sm", "gpu.sm[0]", "gpu.sm[0].warp", "gpu.sm[0].warp[0]", "gpu.kernel", "gpu.l2", "gpu.dram", "gpu.noc" }
local function get(o, k) return o[k] end
local function set(o, k) o[k] = 1 end
for _, name in ipairs(O) do
	local o = load("return " .. name)()
	if o == nil then judge(name, false, nil) end
	for _, v in ipairs(V) do
		local k = v()
		pcall(get, o, k)
		pcall(set, o, k)
	end
end
print("functions", #N, "ok", ok, "refused", bad, "raised", raised, "faults", faults)
