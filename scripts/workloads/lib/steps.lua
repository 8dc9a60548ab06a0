-- The kernels of a ladder: steps(p, "step", { names }) is an iterator over the number and the name of step p.step, or
-- of all steps if that is 0.
local need = require("lib.need")

return function(p, name, kernels)
	local step = need(p, name, 0, #kernels)
	local last = step > 0 and step or #kernels
	local at = step > 0 and step - 1 or 0
	return function()
		at = at + 1
		if at <= last then
			return at, kernels[at]
		end
	end
end
