-- Checks a numeric parameter of a workload: a whole number within min..max and, if given, a multiple of something. The
-- upper limits keep the kernels' 32-bit indices and the host arrays (2 GiB) in range. Returns the number as an integer.
return function(p, name, min, max, multiple)
	local value = math.tointeger(p[name])
	if not value then
		error(string.format("parameter %s = %s is not a whole number", name, p[name]), 0)
	end
	if value < min or value > max then
		error(string.format("parameter %s = %d is not within %d..%d", name, value, min, max), 0)
	end
	if multiple and value % multiple ~= 0 then
		error(string.format("parameter %s = %d is not a multiple of %d", name, value, multiple), 0)
	end
	return value
end
