-- Refuses parameters that together ask for more than 2^28 elements, which the kernels' 32-bit indices and the host arrays
-- (2 GiB) could not hold. names: the parameters, for the message. Returns n.
return function(names, n)
	if n > 1 << 28 then
		error(("parameters %s: %d elements are more than 2^28"):format(names, n), 0)
	end
	return n
end
