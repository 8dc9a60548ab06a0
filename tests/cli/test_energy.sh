#!/bin/sh
# Energy as users see it: result files, the console, Lua and compare say the same, and it closes.
. "$(dirname "$0")/../rig/cli_rig.sh"

S="--size small --set energy.gate_registers=true"
"$W" run hotspot $S --stats - --format json 2>/dev/null >"$tmp/j"
"$W" run hotspot $S --format csv 2>/dev/null >"$tmp/c"
total=$(sed -n 's/^energy.total,sum,//p' "$tmp/c")
# the object `energy` alone, which is what the first level's braces hold
sed -n '/^ "energy": {/,/^ },*$/p' "$tmp/j" >"$tmp/e"
check "JSON and CSV have one total" grep -q "^  \"total\": $total,\$" "$tmp/e"
check "groups sum to it" awk -v want="$total" '/^  "groups": \{/ { on = 1; next } on && /\}/ { on = 0 }
	on { sub(/,$/, ""); sum += $2 } END { exit !(want > 0 && sum == want) }' "$tmp/e"
check "parts sum to it" awk -F, -v want="$total" '$2 == "sum" && /^energy\..*\.(dynamic|leakage),/ { sum += $3 }
	END { exit sum != want }' "$tmp/c"
check "SMs and uncore sum to it" awk -v want="$total" '/^  "(sms|uncore)": / { on = 1 } /^  "(kernels|rest|parts)": / { on = 0 }
	on && /^   *"total":/ && !/^  "total":/ { sub(/,$/, ""); sum += $2 } END { exit sum != want }' "$tmp/e"
check "kernels and the rest sum to it" awk -v want="$total" '/^  "(kernels|rest)": / { on = 1 } /^  "(sms|uncore|parts)": / { on = 0 }
	on && /^   *"total":/ && !/^  "total":/ { sub(/,$/, ""); sum += $2 } END { exit sum != want }' "$tmp/e"
gated=$(awk -F, '$2 == "sum" && /^energy\..*\.gated,/ { sum += $3 } END { printf "%.0f", sum }' "$tmp/c")
off=$("$W" run hotspot --size small --format csv 2>/dev/null | sed -n 's/^energy.total,sum,//p')
check "without power gating it is more by what was gated" [ "$gated" -gt 0 -a "$((total + gated))" = "$off" ]
expect 0 " W, 1.9 mJ: SMs " run hotspot --size small
"$W" compare hotspot --size small --b '--set energy.gate_registers=true' --stats "$tmp/d.csv" >"$tmp/text" 2>&1
check "compare has both" grep -q "^energy.total,$off,$total," "$tmp/d.csv"
check "so does its text, by group, with what was gated" awk -v a="$off" -v b="$total" -v gated="$gated" '
	/^Energy, uJ / { on = 1; next } on && /^$/ { on = 0 } !on { next }
	/^ total / { total = $2 * 1e9 / a + $3 * 1e9 / b; next } /^ power-gated/ { kept = $5 * 1e9 / gated; next } /^ mean/ { next }
	{ n++; sum += $3 * 1e9 / b }
	function near(x, y) { return x > y * 0.999 && x < y * 1.001 }
	END { exit !(n == 7 && near(sum, 1) && near(total, 2) && near(kept, 1)) }' "$tmp/text"

"$W" debug hotspot $S --batch -ex 'step 2000' -ex 'info energy' -ex 'lua local e, s = gpu.energy, 0 for _, v in pairs(e) do s = s + v end print("parts", s - 2 * e.total - e.dynamic - e.leakage - e.gated, "total " .. e.total)' \
	-ex 'info energy 3' -ex 'info energy kernel 0' >"$tmp/said" 2>&1
"$W" debug hotspot $S --batch -ex 'step 2000' -ex 'lua local p, e, worst = dbg.series("power"), 0, 0 for i = 1, #p do local sum = 0 for _, g in ipairs({ "core", "shared", "l1", "l2", "network", "dram", "board" }) do sum = sum + dbg.series("power_" .. g)[i] end worst = math.max(worst, math.abs(sum - p[i])) e = e + p[i] * p.span / 0.7 * 1e6 end print("series", #p > 20, p.start, #p * p.span, worst < 1e-6, math.abs(e / gpu.energy.total - 1) < 0.02)' \
	-ex 'lua local n, all = dbg.series("power", 14), dbg.series() print("sm", #n, n[5] > 2 and n[5] < 20, #all, all[1], all[#all])' \
	-ex 'lua print(pcall(dbg.series, "power_l2", 3))' -ex 'lua print(pcall(dbg.series, "powr"))' -ex 'lua print(pcall(dbg.series, "ipc", 15))' >"$tmp/series" 2>&1
check "Lua has power over time, its groups, and the same energy" grep -q "^series	true	0	[12][0-9]*	true	true$" "$tmp/series"
check "an SM's, and the names" grep -q "^sm	[1-9][0-9]*	true	[1-9][0-9]*	ipc	stall " "$tmp/series"
check "what there is not" [ "$(grep -c "^false	.*\('power_l2' is of the machine\|no series 'powr'\|no SM 15, but 0 to 14\)" "$tmp/series")" = 3 ]
check "Lua has the parts" grep -q "^parts	0	total [1-9]" "$tmp/said"
at=$(sed -n 's/^of the machine in 2000 cycles at 700 MHz: \([0-9]*\) fJ$/\1/p' "$tmp/said")
check "the console has Lua's total" grep -q "total $at\$" "$tmp/said"
check "of an SM" grep -q "^of SM 3 in 2000 cycles" "$tmp/said"
check "of a kernel" grep -q "^of kernel 0 in 2000 cycles" "$tmp/said"
check "columns are not wider than a terminal" awk 'length > 80 && !/^cycle|^[0-9]/ { bad = 1 } END { exit bad }' "$tmp/said"
for wrong in 'info energy 77|77 is larger than 14' 'info energy kernel|number of a launch is expected' \
	'info energy kernel 9|9 is larger than 1' 'info energy x|x'; do
	"$W" debug hotspot --size small --batch -ex 'step 5' -ex "${wrong%%|*}" >"$tmp/said" 2>&1
	check "${wrong%%|*} is refused" grep -q "${wrong#*|}" "$tmp/said"
done
expect 0 "Horowitz" explain energy.l1
