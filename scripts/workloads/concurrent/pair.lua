-- Two workloads at once, each in a stream of its own: warpdbg run concurrent/pair --param a=cp --param b=lps
--
-- Parameters of theirs follow the name: --param a=cp:points=512,atoms=100. Their own checks are the run's.
--
-- A launch is kept back until its host program waits. When both wait, what is kept back of both is launched in the same
-- cycle, and they go on when all of it has ended: so their kernels meet, whoever's host has more to do. Hosts that wait
-- in the middle wait for each other.

local function parse(text, size)
	local name, rest = text:match("^([%w_/]+):?(.*)$")
	if not name then
		error("a and b are WORKLOAD or WORKLOAD:PARAMETER=VALUE,...", 0)
	end
	local w, p = require("workloads." .. name:gsub("/", ".")), {}
	for k, v in pairs(w.sizes[size]) do
		p[k] = v
	end
	for k, v in rest:gmatch("([%w_]+)=([^,]*)") do
		if p[k] == nil then
			error(name .. " has no parameter '" .. k .. "'", 0)
		end
		p[k] = math.type(p[k]) and (math.tointeger(tonumber(v)) or tonumber(v)) or v
	end
	return w, p
end

local WAITS = { copy = true, memset = true, sync = true, check = true, free = true }

-- One host program: a coroutine that hands each call of cuda.* to the one that may make it, which calls it itself in
-- functions that it was given to call (checks).
local function begin(cuda, text, seed, size)
	local w, p = parse(text, size)
	p.seed = seed
	local main = coroutine.running()
	local own = setmetatable({}, {
		__index = function(_, name)
			return function(...)
				if coroutine.running() == main then
					return cuda[name](...)
				end
				return coroutine.yield(name, table.pack(...))
			end
		end,
	})
	return { stream = cuda.stream(), kept = {}, answer = {}, co = coroutine.create(function() w.run(own, p) end) }
end

-- Runs it until it waits for launches of its own, or has ended.
local function go_on(cuda, host)
	while coroutine.status(host.co) ~= "dead" do
		if not host.call then
			local ok, name, args = coroutine.resume(host.co, table.unpack(host.answer, 1, host.answer.n))
			if not ok then
				error(name, 0)
			end
			if not name then
				return
			end
			host.call, host.args = name, args
		end
		local args = host.args
		if host.call == "launch" then
			local options = {}
			for k, v in pairs(args[5] or {}) do
				options[k] = v
			end
			options.stream = host.stream
			args[5], args.n = options, 5
			table.insert(host.kept, args)
			host.answer = {}
		elseif host.call == "stream" then -- its own streams are one here
			host.answer = { host.stream, n = 1 }
		elseif WAITS[host.call] and #host.kept > 0 then
			return
		else
			host.answer = table.pack(cuda[host.call](table.unpack(args, 1, args.n)))
		end
		host.call = nil
	end
end

return {
	help = "two workloads at once, each in a stream of its own (a, b: WORKLOAD or WORKLOAD:PARAMETER=VALUE,...; scale: their size)",
	sizes = {
		small = { a = "cp", b = "lps", scale = "small" },
		default = { a = "cp", b = "lps", scale = "default" },
		large = { a = "cp", b = "lps", scale = "large" },
	},
	run = function(cuda, p)
		local hosts = { begin(cuda, p.a, p.seed, p.scale), begin(cuda, p.b, p.seed, p.scale) }
		local more = true
		while more do
			for _, host in ipairs(hosts) do
				go_on(cuda, host)
			end
			more = false
			for _, host in ipairs(hosts) do
				for _, launch in ipairs(host.kept) do
					cuda.launch(table.unpack(launch, 1, launch.n))
					more = true
				end
				host.kept = {}
			end
			cuda.sync()
		end
	end,
}
