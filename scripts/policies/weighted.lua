-- weighted: each SM to one kernel; the first host program's kernels have two thirds of the SMs, the others the rest, as
-- long as both have CTAs to come. Kernels of one program take turns. SMs change hands by --preempt.
local FIRST = 2 / 3

-- The kernels of the first program, or of the others, that an SM can still be given to.
local function side(m, first)
	local list = {}
	for _, k in ipairs(m:kernels()) do
		if (m:program(k) == 0) == first and (m:left(k) > 0 or m:resident(k) > 0) then
			list[#list + 1] = k
		end
	end
	return list
end

policy.partition {
	name = "weighted",
	stateless = true, -- what it remembers, the SMs of the first program, is in word 1
	plan = function(m)
		local a, b = side(m, true), side(m, false)
		local split = #b == 0 and m.sms or #a == 0 and 0 or math.floor(m.sms * FIRST + 0.5)
		local before = m:get(1)
		for sm = 0, m.sms - 1 do
			local list, at = a, sm
			if sm >= split then
				list, at = b, sm - split
			end
			local owner = #list > 0 and list[at % #list + 1]
			for _, k in ipairs(m:kernels()) do
				if k == owner then
					m:set(k, sm)
				else
					m:set(k, sm, 0, 0) -- none from now on, and those that are there leave
				end
			end
		end
		if split ~= before then
			for _, k in ipairs(a) do
				m:tell(k, before, split)
			end
			m:put(1, split)
		end
	end,
}
