#!/bin/sh
# `warpdbg paper` and `list workloads --table`: words, tables, CSV, pictures; resuming; several at a time; failures; Ctrl-C.
. "$(dirname "$0")/../rig/cli_rig.sh"

# --- words
expect 0 "awatramani2015" paper
expect 0 "park2016-elf" paper
cp "$tmp/out" "$tmp/papers"
check "how many runs a figure takes" grep -Eq '^    9a +[1-9][0-9]* +[1-9][0-9]*  speedup' "$tmp/papers"
# The sweep of scripts/papers/README.md.
awk '/^## A sweep/ { f = 1 } f && /^```lua/ { p = 1; next } p && /^```/ { exit } p' scripts/papers/README.md >"$tmp/sweep.lua"
expect 0 "8 runs: 8 done" paper "$tmp/sweep.lua" --out "$tmp/sweep"
check "its table" [ "$(grep -c '^[1-4]  *[0-9]' "$tmp/out")" -eq 4 ]
expect 2 "no paper 'park2016-elv' (did you mean 'park2016-elf'?)" paper park2016-elv
expect 2 "no figure '3.22' (did you mean '3.2'?)" paper park2016-elf 3.22 --out "$tmp/none"
expect 2 "-j: at least one run at a time" paper park2016-elf -j 0
expect 2 "-j: 'x' is not a whole number" paper park2016-elf -jx
expect 2 "--quick does not belong to \`warpdbg run\`" run hotspot --quick
expect 2 "--gpu does not belong to" paper park2016-elf --gpu v100
expect 2 "--format: paper prints text or markdown" paper park2016-elf --format json
expect 2 "cannot make the directory" paper park2016-elf --out /proc/none
expect 2 "--table belongs to" list gpus --table
expect 2 "--format: markdown is for" explain gto --format markdown
expect 2 "--gpu does not belong to \`warpdbg list gpus\`" list gpus --format markdown --gpu v100
expect 2 "--size does not belong to \`warpdbg list workloads\` without --table" list workloads --size small
expect 0 "warpdbg paper" --help

# --- a paper of two runs, named three times
cat >"$tmp/tiny.lua" <<'LUA'
local function run(s)
	return { workload = "vecadd", size = "small", warp_sched = s, params = { n = 20000 }, files = { timeline = "csv" } }
end
local function rows(result)
	local t = {}
	for _, s in ipairs({ "lrr", "gto" }) do
		local r = assert(result(run(s)))
		local samples, names = result.csv(r.files.timeline)
		t[#t + 1] = { s, { r.cycles, published = 5000 }, #samples, names[1], r.kernels[1].name .. ", \"" .. r.check .. "\"" }
	end
	t[#t + 1] = { "none", false, false, "", "" }
	return t
end
return {
	help = "a tiny paper", source = "A. Nobody, Nowhere 1999",
	figures = {
		{ name = "1", title = "cycles", runs = function() return { run("lrr"), run("gto"), run("lrr") } end,
		  table = function(result)
			return { columns = { "policy", { name = "cycles", digits = 0 }, { name = "samples", digits = 0 }, "first", "kernel" },
				rows = rows(result), notes = { "a note" }, plot = { kind = "bars", columns = { "cycles" } } }
		  end },
		{ name = "2", title = "the first again", runs = function() return { run("gto") } end,
		  table = function(result, x)
			local r = result(run("gto"))
			return { columns = { "size", { name = "a", digits = 1, compare = "difference" }, { name = "b", digits = 1 } },
				rows = { { x.size, 1, 2 }, { "mean", { 1.5, published = 1 }, { r.sm.issued / r.warp_insts, published = 4 } } },
				plot = { kind = "lines", columns = { "a" } } }
		  end },
	},
}
LUA
paper="$tmp/tiny.lua --out $tmp/r"
expect 0 "2 runs: 2 done, 0 from before, 0 failed" paper $paper
expect 0 "2 runs: 0 done, 2 from before, 0 failed" paper $paper
expect 0 "1 runs: 0 done, 1 from before, 0 failed" paper "$tmp/tiny.lua" 2 --out "$tmp/r"
check "a second call runs nothing: the results are the same files" sh -c "
	ls -li --time-style=full-iso '$tmp/r/runs' >'$tmp/before'; '$W' paper $paper; ls -li --time-style=full-iso '$tmp/r/runs' | diff - '$tmp/before'"
"$W" run vecadd --size small --warp-sched lrr --param n=20000 --stats "$tmp/lrr.json" --format json >/dev/null 2>&1
"$W" run vecadd --size small --warp-sched gto --param n=20000 --stats "$tmp/gto.json" --format json >/dev/null 2>&1
lrr=$(sed -n 's/^ "cycles": \([0-9]*\),/\1/p' "$tmp/lrr.json") gto=$(sed -n 's/^ "cycles": \([0-9]*\),/\1/p' "$tmp/gto.json")
n=$((lrr / 1000 + (lrr % 1000 > 0)))
check "the CSV has what the runs measured" sh -c "printf '%s\n' 'policy,cycles,cycles published,samples,first,kernel' \
	| diff - '$tmp/r/1.csv' | grep -q '^> lrr,$lrr,5000,' && grep -q '^gto,$gto,5000,.*,cycle,\"vecadd, \"\"pass\"\"\"\$' '$tmp/r/1.csv'"
check "a gap is empty" grep -qx 'none,,,,,' "$tmp/r/1.csv"
check "the timeline's rows were read" sh -c "[ $lrr -gt 0 ] && grep -q '^lrr,$lrr,5000,$n,' '$tmp/r/1.csv'"
ratio=$(awk "BEGIN { printf \"%.2f\", $lrr / 5000 }")
"$W" paper $paper >"$tmp/text" 2>/dev/null
check "text: measured, published and their ratio" grep -Eq "^lrr +$lrr +5000 +$ratio " "$tmp/text"
check "text: the means' published values in a row of their own" grep -Eq '^published +1\.0 +4\.0$' "$tmp/text"
check "text: and how they compare" grep -Eq '^compared +\+0\.5 +0\.25$' "$tmp/text"
check "text: the source and the notes" sh -c "grep -qx 'A. Nobody, Nowhere 1999' '$tmp/text' && grep -qx 'a note' '$tmp/text'"
expect 0 "| lrr | $lrr | 5000 | $ratio |" paper $paper --format markdown
expect 0 "bars from 0 to" paper $paper --bars
check "bars in ASCII" sh -c "LC_ALL=C.UTF-8 '$W' paper $paper --bars --ascii 2>/dev/null | { ! LC_ALL=C grep -q '[^ -~]'; }"
check "an SVG picture a figure" sh -c "grep -q '</svg>' '$tmp/r/1.svg' && grep -q '<polyline' '$tmp/r/2.svg'"
check "the picture has a bar a number and a mark a published value" sh -c "
	[ \$(grep -c '<rect.*fill=\"#0072b2\"' '$tmp/r/1.svg') = 3 ] && [ \$(grep -c 'stroke=\"#000\"' '$tmp/r/1.svg') = 2 ]"
expect 0 "small" paper $paper --quick
for j in 1 2; do "$W" paper "$tmp/tiny.lua" --out "$tmp/j$j" -j $j 2>/dev/null | grep -v "^Tables" >"$tmp/text$j"; done
check "two at a time: the same output" cmp "$tmp/text1" "$tmp/text2"
check "two at a time: the same files" sh -c "rm -rf '$tmp'/j?/runs; diff -r '$tmp/j1' '$tmp/j2'"
expect 0 "2 runs: 2 done" paper "$tmp/tiny.lua" --out "$tmp/jj" -j2
rm -f "$tmp"/r/runs/*.json
expect 0 "2 runs: 2 done" paper $paper
sed 's/n = 20000/n = 20001/' "$tmp/tiny.lua" >"$tmp/other.lua"
expect 0 "2 runs: 2 done, 0 from before" paper "$tmp/other.lua" --out "$tmp/r"

# --- the user's own workload is part of what a result depends on
cat >"$tmp/w.lua" <<'LUA'
return { name = "w", sizes = { default = { n = 1000 } }, run = function(cuda, p)
	local m, d = cuda.module("vecadd.ptx"), cuda.malloc(8192)
	cuda.launch(m.vecadd, (p.n + 255) // 256, 256, { d, d, d, p.n })
	cuda.sync()
	cuda.check(function() return p.n < 1001, "too many" end)
end }
LUA
figure() { # figure RUNS TABLE: a paper of one figure in $tmp/p.lua
	cat >"$tmp/p.lua" <<LUA
local W = "$tmp/w.lua"
return { figures = { { name = "f", title = "t", runs = function(x) return $1 end, table = function(result, x) $2 end } } }
LUA
}
figure '{ { workload = W } }' 'return { columns = { "a" }, rows = { { result({ workload = W }).cycles } } }'
expect 0 "1 done" paper "$tmp/p.lua" --out "$tmp/w"
expect 0 "1 from before" paper "$tmp/p.lua" --out "$tmp/w"
sed -i 's/too many/far too many/' "$tmp/w.lua"
expect 0 "1 done" paper "$tmp/p.lua" --out "$tmp/w"

# --- failing runs
figure '{ { workload = W, params = { n = 16000 } }, { workload = W, params = { n = 1001 } }, { workload = W }, { workload = W, warp_sched = "gtp" } }' '
	local rows = {}
	for i, n in ipairs({ 16000, 1001, 1000 }) do
		local r, why = result({ workload = W, params = n ~= 1000 and { n = n } or nil })
		rows[i] = { n, r and r.cycles or false, why or "fine" }
	end
	return { columns = { "n", "cycles", "why" }, rows = rows }'
expect 1 "4 runs: 0 done, 1 from before, 3 failed" paper "$tmp/p.lua" --out "$tmp/w"
expect 1 "--param n=16000: exit status 3:" paper "$tmp/p.lua" --out "$tmp/w"
expect 1 "--param n=1001: exit status 1: the workload's check failed" paper "$tmp/p.lua" --out "$tmp/w"
expect 1 "exit status 2: no such warp policy 'gtp'" paper "$tmp/p.lua" --out "$tmp/w"
check "the reason of one that cannot write its results" sh -c "
	trap '' XFSZ; ulimit -f 20; '$W' paper '$tmp/p.lua' --out '$tmp/l' 2>&1 | grep -q 'exit status 2: --stats: .*cannot write: File too large'"
check "a failed run is a gap in the table" sh -c "grep -q '^1001,,exit status 1' '$tmp/w/f.csv' && grep -q '^1000,[0-9]*,fine' '$tmp/w/f.csv'"
check "nothing is left of failed runs" sh -c "! ls '$tmp/w/runs' | grep -q part"

# --- mistakes in papers
expect 2 "nix.lua: No such file" paper "$tmp/nix.lua" --out "$tmp/m"
echo 'return {' >"$tmp/p.lua"
expect 2 "p.lua:" paper "$tmp/p.lua" --out "$tmp/m"
echo 'return 1' >"$tmp/p.lua"
expect 2 "it must return a table with \`figures\`" paper "$tmp/p.lua" --out "$tmp/m"
echo 'return { figures = { { name = "x" } } }' >"$tmp/p.lua"
expect 2 "figure 1 needs the functions" paper "$tmp/p.lua" --out "$tmp/m"
echo 'return { figures = { { name = "../x", runs = print, table = print } } }' >"$tmp/p.lua"
expect 2 "no usable name" paper "$tmp/p.lua" --out "$tmp/m"
nothing='return {}'
mistake() { # mistake MESSAGE RUNS [TABLE]
	figure "$2" "${3:-$nothing}"
	expect 2 "figure 'f': $1" paper "$tmp/p.lua" --out "$tmp/m"
}
mistake "a run needs a workload" '{ {} }'
mistake "a run has an unknown field 'warp'" '{ { workload = W, warp = "gto" } }'
mistake "a run's 'set' is no table" '{ { workload = W, set = 3 } }'
mistake "a run's 'seed' is table" '{ { workload = W, seed = {} } }'
mistake "a run's 'beside' is no list" '{ { workload = W, beside = "bfs" } }'
mistake "a run's 'beside': program 2 is no table with a workload" '{ { workload = W, beside = { { workload = W }, { size = "small" } } } }'
mistake "a run's files: timeline = '../x'" '{ { workload = W, files = { timeline = "../x" } } }'
mistake "runs() returned nil" 'nil'
mistake "the table has no columns" '{}'
mistake "row 1 has 1 cells, there are 2 columns" '{}' 'return { columns = { "a", "b" }, rows = { { 1 } } }'
mistake "row 1, column 'a': a cell is a text, a number or false, not boolean" '{}' 'return { columns = { "a" }, rows = { { true } } }'
mistake "plot: there is no column 'c'" '{}' 'return { columns = { "a" }, rows = {}, plot = { columns = { "c" } } }'
mistake "column 1: compare = 'x' is none of 'ratio', 'difference', 'none'" '{}' 'return { columns = { { name = "a", compare = "x" } }, rows = {} }'
figure '{}' 'return result({ workload = "hotspot" })'
expect 2 "the figure's runs() does not name this run: hotspot" paper "$tmp/p.lua" --out "$tmp/m"
figure '{ { workload = W, files = { timeline = "csv" } } }' '
	local r = result({ workload = W, files = { timeline = "csv" } })
	return { columns = { "path", { name = "n", compare = "none" } }, rows = { { result.keep(r.files.timeline, "kept"), { 1, published = 2 } } } }'
expect 0 "$tmp/m/kept.csv" paper "$tmp/p.lua" --out "$tmp/m"
expect 0 "from before" paper "$tmp/p.lua" --out "$tmp/m"
check "a file of a run gets a name" grep -q '^cycle,' "$tmp/m/kept.csv"
figure '{}' 'return result.keep("/etc/pass.wd", "kept")'
expect 2 "is no file of a run" paper "$tmp/p.lua" --out "$tmp/m"
figure '{}' 'return result.csv("/etc/passwd")'
expect 2 "is no file of a run" paper "$tmp/p.lua" --out "$tmp/m"
figure '{}' 'while true do end'
check "an endless table() is ended" sh -c "timeout 110 '$W' paper '$tmp/p.lua' --out '$tmp/m'; [ \$? = 2 ]"

# --- Ctrl-C: children end, what is done stays, the rest comes next time
figure '{ { workload = W }, { workload = "hotspot", size = "large", seed = 7 }, { workload = "matmul", size = "large", seed = 7 } }' \
	'return { columns = { "a" }, rows = { { result({ workload = W }).cycles } } }'
children() { # how many runs that write into the directory there are
	for f in /proc/[0-9]*/cmdline; do
		case $(tr '\0' ' ' 2>/dev/null <"$f") in *" --stats $tmp/c/runs/"*) echo "$f" ;; esac
	done 2>/dev/null | wc -l
}
interrupt() { # interrupt SIGNAL: exit status in $status, its output in $tmp/int
	"$W" paper "$tmp/p.lua" --out "$tmp/c" -j 3 >"$tmp/int" 2>&1 </dev/null &
	pid=$!
	i=0
	while [ "$(children)" -lt 2 ] && [ $i -lt 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	during=$(children)
	sleep 0.5
	kill "-$1" $pid
	wait $pid
	status=$?
}
if [ -d /proc/self ]; then
	for ending in INT:130 TERM:143; do
		sig=${ending%:*}
		rm -rf "$tmp/c"
		interrupt $sig
		check "SIG$sig: children were running" [ "$during" -ge 2 ]
		check "SIG$sig: ends by it" [ $status -eq "${ending#*:}" ]
		check "SIG$sig: no child is left" [ "$(children)" -eq 0 ]
		check "SIG$sig: says how to go on" grep -q "interrupted: the same command goes on from here" "$tmp/int"
		check "SIG$sig: no unfinished files" sh -c "! ls '$tmp/c/runs' | grep -q part"
		check "SIG$sig: what was done is kept" sh -c "ls '$tmp/c/runs' | grep -q json"
	done
	interrupt KILL
	sleep 0.5
	check "killed: no child goes on alone" [ "$(children)" -eq 0 ]
fi

# --- what a sweep of the CTA limit says: Lee 2014's types, each with curves that miss a neighbouring type by little
cat >"$tmp/types.lua" <<'LUA'
local limits = require("papers.lib.limits")
local curves = {
	{ "I", 4, { 1, 2, 2.9, 3.0 } }, { "II", 3, { 1, 2, 2.95, 3.0 } }, { "I", 4, { 1, 2, 1.5, 3.0 } },
	{ "II", 1, { 1, 0.99, 1, 0.985 } }, { "II", 3, { 1, 1.2, 1.5, 1.48, 1.471 } }, { "IV", 3, { 1, 1.2, 1.5, 1.48, 1.469 } },
	{ "III", 1, { 1, 0.99, 0.97 } }, { "III", 1, { 1, 1.01, 0.5 } }, { "IV", 2, { 1, 1.03, 0.5 } }, { "II", 1, { 1 } },
	{ "II", 2, { 1, 1.1, 0.9, 1.1 } },
}
return {
	help = "types", source = "Lee 2014",
	figures = { { name = "t", title = "types", runs = function() return {} end, table = function()
		local rows = {}
		for i, c in ipairs(curves) do
			local opt, kind = limits.optimum(c[3])
			rows[i] = { "c" .. i, opt == c[2] and kind == c[1] and "right" or ("wrong: " .. opt .. " " .. kind) }
		end
		return { columns = { "curve", "type" }, rows = rows }
	end } },
}
LUA
"$W" paper "$tmp/types.lua" --out "$tmp/types" >"$tmp/types.out" 2>&1
check "types I to IV and the fewest CTAs at the peak" [ "$(grep -c ',right$' "$tmp/types/t.csv")" = 11 ]

# --- the table of workloads: three of them, in a data directory of its own
mkdir -p "$tmp/data/scripts"
cp -r configs "$tmp/data/configs"
mkdir -p "$tmp/data/scripts/workloads" "$tmp/data/scripts/papers"
cp -r scripts/workloads/lib scripts/workloads/vecadd.lua scripts/workloads/hotspot.lua "$tmp/data/scripts/workloads/"
cp -r scripts/papers/lib "$tmp/data/scripts/papers/"
echo 'return { name = "bad", sizes = { default = {}, small = {} }, run = function() error("broken") end }' >"$tmp/data/scripts/workloads/bad.lua"
cp "$W" "$tmp/data/warpdbg"
W=$tmp/data/warpdbg
expect 0 "| bad | host error: " list workloads --table --size small --format markdown
cp "$tmp/out" "$tmp/table"
check "a row a kernel, with the grid of its largest launch" grep -q '^| vecadd | vecadd | 1 | 512 (8182) | 256 (256) |' "$tmp/table"
check "published program points in brackets" grep -q '^| hotspot | hotspot | 2 | 8x8 | 16x16 |.*| 2 (2) | yes (yes) |' "$tmp/table"
expect 0 '"program_points": 2' list workloads --table --size small --format json
cp "$tmp/out" "$tmp/table"
check "the mix adds up" awk '/"mix"/ { in_mix = 1; sum = 0 } in_mix && /: [0-9.]+,?$/ { split($0, a, ": "); sum += a[2] }
	in_mix && /}/ { in_mix = 0; n++; if (sum < 99.99 || sum > 100.01) bad = 1 } END { exit bad || n < 2 }' "$tmp/table"
W=$PWD/${WARPDBG:-warpdbg}

# --- the papers that come with it
# PAPERS=full: and figures of dozens of runs.
expect 0 "B+T-K1 gto" paper awatramani2015 6 --quick --out "$tmp/a"
expect 0 "newcar                301        301" paper park2016-elf table3.3 table3.2 --quick --out "$tmp/p"
check "as published: 12 and 20 program points" sh -c "
	grep -q '^BP,adjust_weights,bpnn_adjust_weights,12,12,' '$tmp/p/table3.2.csv' && grep -q '^LBM,.*,20,20,' '$tmp/p/table3.2.csv'"
expect 0 "| LPS | IV | 1.00 | 0." paper lee2014 8 8shares --quick --format markdown --out "$tmp/l"
expect 0 "GPU-small reset" paper huzaifa2020 4d --quick --out "$tmp/h"
check "reset finds all in L1D but in the first of 16 launches" awk -F, '/^GPU-small reset,/ { ok = $2 > 93.7 && $2 < 93.8 } END { exit !ok }' "$tmp/h/4d.csv"
check "rr moves on and reads from remote L1Ds" awk -F, '/^GPU-small rr,/ { ok = $2 < 50 && /,1[0-9][.][0-9]*,/ } END { exit !ok }' "$tmp/h/4d.csv"
check "a run's JSON has the analyses of its kernels" sh -c "
	'$W' run hotspot --size small --stats - --format json | sed -n '/^ \"code\": \[/,/^ \]/p' | grep -q '\"program_points\": 2,'"

if [ "${PAPERS-}" = full ]; then
	expect 0 "BP-K1       backprop.layer_forward" paper awatramani2015 table2 --quick --out "$tmp/a"
	check "as published: 256 threads, 6 blocks a core" grep -q '^BP-K1,backprop.layer_forward,[0-9]*,65535,256,256,6,6,' "$tmp/a/table2.csv"
	check "phases as table II counts them, and as its text does" grep -q '^BP-K1,.*,6,6,3,5,13,5,' "$tmp/a/table2.csv"
	expect 0 "Miss rate of L1D with gto and rr, and its change." paper lee2014 17 --quick --out "$tmp/l"
	check "neighbouring CTAs on one SM share lines" awk -F, '/^SRAD,/ && $3 < -3 && $4 < -3 { ok = 1 } END { exit !ok }' "$tmp/l/17.csv"
fi
