-- What a sweep of the CTA limit says of a kernel: Lee et al., HPCA 2014, section 2 and figure 4.
local limits = {}

-- Within so much of the peak counts as the peak: the paper has no figure, its curves are flat within their line's width.
local FLAT = 0.98

-- speed[n]: speed with at most n CTAs on an SM. The fewest CTAs at the peak, and the type: I rises to the end, II rises to a level or
-- is flat, III falls from the first CTA on, IV rises and falls.
function limits.optimum(speed)
	local near, opt = FLAT * math.max(table.unpack(speed)), 1
	while speed[opt] < near do
		opt = opt + 1
	end
	if speed[#speed] < near then
		return opt, opt == 1 and "III" or "IV"
	end
	return opt, opt == #speed and #speed > 1 and "I" or "II"
end

return limits
