-- n random f32 values that are multiples of 1/16 in [-1, 1]. Sums of up to 2^16 products of two such values are exact
-- in f32 in any order and with or without fused steps (multiples of 1/256 up to 2^16), so a kernel that only adds up
-- products must match its reference bit for bit.
return function(cuda, n)
	return cuda.host("f32", n):combine(cuda.host("i32", n):rand(-16, 16), 1 / 16)
end
