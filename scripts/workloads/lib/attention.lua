-- The reference of attention for one query: the softmax of its scores with `count` keys, and with these weights the
-- mean of the values. q, k, v: arrays or tables from 0; q_at: where the query's d elements begin; at(i): where those of
-- key and value i begin. Fills out[o_at] to out[o_at + d - 1].
return function(q, q_at, k, v, at, count, d, scale, out, o_at)
	local scores, most, sum = {}, -math.huge, 0.0
	for i = 0, count - 1 do
		local score, k_at = 0.0, at(i)
		for j = 0, d - 1 do
			score = score + q[q_at + j] * k[k_at + j]
		end
		scores[i] = score * scale
		most = math.max(most, scores[i])
	end
	for j = 0, d - 1 do
		out[o_at + j] = 0.0
	end
	for i = 0, count - 1 do
		local weight, v_at = math.exp(scores[i] - most), at(i)
		sum = sum + weight
		for j = 0, d - 1 do
			out[o_at + j] = out[o_at + j] + weight * v[v_at + j]
		end
	end
	for j = 0, d - 1 do
		out[o_at + j] = out[o_at + j] / sum
	end
end
