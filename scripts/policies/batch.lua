-- batch: up to 16 picks of one warp in a row, then the ready warp that has issued least.
policy.warp {
	name = "batch",
	stateless = true, -- what it remembers is in words 1 and 2, which go back in time
	pick = function(sm, ready)
		local warp, left = sm:get(1), sm:get(2)
		if left == 0 or ready >> warp & 1 == 0 then
			warp, left = policy.next(ready), 16
			for w in policy.warps(ready) do
				if sm:insts(w) < sm:insts(warp) then
					warp = w
				end
			end
		end
		sm:put(1, warp)
		sm:put(2, left - 1)
		return warp
	end,
}
