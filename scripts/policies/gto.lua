-- Greedy then oldest (Rogers 2012, section 4.1), as the built-in gto: for comparison, and to start from.
policy.warp {
	name = "gto",
	stateless = true,
	pick = function(sm, ready)
		local last = sm:last()
		if last and ready >> last & 1 == 1 then
			return last
		end
		return sm:oldest(ready)
	end,
}
