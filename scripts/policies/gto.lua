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
	explain = function(sm, ready, warp) -- for `why pick`
		local older = 0
		for w in policy.warps(ready) do
			if sm:age(w) < sm:age(warp) then
				older = older + 1
			end
		end
		if sm:last() == warp then
			return -1, "greedy: picked last"
		end
		return older, older .. " of the ready ones are older"
	end,
}
