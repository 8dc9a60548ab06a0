-- An iteration of speckle reducing anisotropic diffusion in double precision, in place: image[0 .. inner * outer - 1],
-- lines of `inner` neighbouring elements. Beyond the edge lies the edge. q0sqr is the coefficient of variation squared
-- of homogeneous speckle. The equations do not change when the image is transposed, so it does not matter whether
-- lines are rows or columns.
return function(image, inner, outer, q0sqr, lambda)
	local c, n, s, w, e = {}, {}, {}, {}, {}
	for y = 0, outer - 1 do
		local up, down = y > 0 and -inner or 0, y < outer - 1 and inner or 0
		for x = 0, inner - 1 do
			local i = y * inner + x
			local j = image[i]
			local dn, ds = image[i + up] - j, image[i + down] - j
			local dw, de = image[x > 0 and i - 1 or i] - j, image[x < inner - 1 and i + 1 or i] - j
			local gradient2 = (dn * dn + ds * ds + dw * dw + de * de) / (j * j)
			local laplace = (dn + ds + dw + de) / j
			local den = 1 + 0.25 * laplace
			local qsqr = (0.5 * gradient2 - 0.0625 * laplace * laplace) / (den * den)
			local coefficient = 1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr)))
			c[i] = coefficient < 0 and 0 or coefficient > 1 and 1 or coefficient
			n[i], s[i], w[i], e[i] = dn, ds, dw, de
		end
	end
	for y = 0, outer - 1 do
		local down = y < outer - 1 and inner or 0
		for x = 0, inner - 1 do
			local i = y * inner + x
			local divergence = c[i] * (n[i] + w[i]) + c[i + down] * s[i] + c[x < inner - 1 and i + 1 or i] * e[i]
			image[i] = image[i] + 0.25 * lambda * divergence
		end
	end
end
