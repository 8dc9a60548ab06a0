-- n random f16 values that are multiples of 1/16 in [-1, 1], as u16, and the same values as f32. What
-- lib/sixteenths.lua says of exact sums holds for them, too, in a tensor unit as well: no bit of a sum is cut off.
local sixteenths = require("lib.sixteenths")

return function(cuda, n)
	local values = sixteenths(cuda, n)
	return cuda.host("u16", n):halves(values), values
end
