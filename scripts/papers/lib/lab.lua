-- What experiments share: runs over lists of workloads and policies, sums per kernel, means.
local lab = {}

-- Sum of a counter over the launches of one kernel (nil = all kernels): cycles from a launch's first CTA to its last.
function lab.kernel_sum(r, kernel, counter)
	local sum, found = 0, false
	for _, k in ipairs(r.kernels) do
		if not kernel or k.name == kernel then
			sum, found = sum + k[counter], true
		end
	end
	return found and sum or nil
end

function lab.kernel_cycles(r, kernel)
	return lab.kernel_sum(r, kernel, "cycles")
end

-- Sum of a counter over the launches of one program of several.
function lab.kernel_sum_of(r, program, counter)
	local sum = 0
	for _, k in ipairs(r.kernels) do
		if k.program == program then
			sum = sum + k[counter]
		end
	end
	return sum
end

-- The first launch of a kernel.
function lab.launch(r, kernel)
	for _, k in ipairs(r.kernels) do
		if k.name == kernel then
			return k
		end
	end
end

-- What the compiler's analyses say of a kernel.
function lab.code(r, kernel)
	for _, k in ipairs(r.code) do
		if k.name == kernel then
			return k
		end
	end
end

-- A run that differs from `base` in some fields; `set` and `params` are merged.
function lab.variant(base, more)
	local run = {}
	for k, v in pairs(base) do
		run[k] = v
	end
	for k, v in pairs(more) do
		if type(v) == "table" and type(run[k]) == "table" then
			local merged = {}
			for name, value in pairs(run[k]) do
				merged[name] = value
			end
			for name, value in pairs(v) do
				merged[name] = value
			end
			run[k] = merged
		else
			run[k] = v
		end
	end
	return run
end

-- Geometric and arithmetic mean of an array; nil of none.
function lab.geomean(t)
	if #t == 0 then
		return nil
	end
	local sum = 0
	for _, v in ipairs(t) do
		sum = sum + math.log(v)
	end
	return math.exp(sum / #t)
end

function lab.mean(t)
	if #t == 0 then
		return nil
	end
	local sum = 0
	for _, v in ipairs(t) do
		sum = sum + v
	end
	return sum / #t
end

-- A quotient, or false (a gap) when a part is missing.
function lab.over(a, b)
	return a and b and b ~= 0 and a / b or false
end

-- How much faster than the base in %, or a gap.
function lab.gain(base_cycles, cycles)
	local q = lab.over(base_cycles, cycles)
	return q and (q - 1) * 100
end

-- Collects the numbers of a column, gaps left out.
function lab.numbers(rows, column)
	local t = {}
	for _, row in ipairs(rows) do
		local v = row[column]
		if type(v) == "table" then
			v = v[1]
		end
		if type(v) == "number" then
			t[#t + 1] = v
		end
	end
	return t
end

-- The kernel with the most cycles, all its launches together.
function lab.main_kernel(r)
	local best, most = nil, -1
	for _, k in ipairs(r.kernels) do
		local n = lab.kernel_sum(r, k.name, "cycles")
		if n > most then
			best, most = k, n
		end
	end
	return best
end

return lab
