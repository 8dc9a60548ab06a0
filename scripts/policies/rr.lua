-- CTAs in order of their ids, one per SM in turn: as the built-in rr.
policy.cta {
	name = "rr",
	stateless = true,
	next = function(k, sm)
		if k:first() < k.ctas then
			return k:first()
		end
	end,
}
