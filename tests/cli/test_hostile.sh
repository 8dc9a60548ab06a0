#!/bin/sh
# Outputs that would destroy each other or what is read; errors that are objects; bytes that are no text.
. "$(dirname "$0")/../rig/cli_rig.sh"

# One file for two outputs, under whatever names; devices take both.
small="run vecadd --size small"
ln -s x.csv "$tmp/y.csv"
expect 2 "is the file of --timeline" $small --timeline "$tmp/x.csv" --trace "$tmp/./x.csv"
expect 2 "is the file of --timeline" $small --timeline "$tmp/x.csv" --stats "$tmp/y.csv"
expect 2 "is the file of --phases" $small --phases "$tmp/x.csv" --stats "$tmp/x.csv"
expect 2 "only --stats goes to standard output" $small --timeline -
expect 0 "IPC" $small --timeline /dev/null --trace /dev/null --stats /dev/null

# What is read stays as it is.
printf 'return { run = function() end }\n' >"$tmp/host.lua"
expect 2 "is a file that is read" run "$tmp/host.lua" --stats "$tmp/host.lua"
expect 2 "is a file that is read" $small --script "$tmp/host.lua" --timeline "$tmp/host.lua"
check "the host program is still there" test -s "$tmp/host.lua"

# An error may be an object, even one that fails to say what it is.
printf 'return { run = function() error(setmetatable({}, { __tostring = function() error("x") end })) end }\n' \
	>"$tmp/object.lua"
expect 2 "an object whose __tostring failed" run "$tmp/object.lua"
printf 'return { run = function() error(setmetatable({}, { __tostring = function() return "fail 17" end })) end }\n' \
	>"$tmp/object.lua"
expect 2 "fail 17" run "$tmp/object.lua"

# A NUL is a byte of the text like others.
check "text goes on behind a NUL" sh -c "'$W' debug vecadd --size small --batch -ex 'lua print(\"a\\0b\") print(\"behind\")' | grep -aq behind"

# Names that are not UTF-8: JSON has no such text, but the key is there.
odd=$(printf '%s/odd\377\"name.lua' "$tmp")
printf 'return { run = function(cuda) cuda.check(function() return false, "no \\xff text" end) end }\n' >"$odd"
expect 1 '"workload": null' run "$odd" --stats - --format json
expect 1 '"check_message": null' run "$odd" --stats - --format json

# What a host program, a machine or a paper returns may raise errors, or never end, wherever it is looked at.
for bad in 'error("raised")' 'return setmetatable({}, { __index = function() error("raised") end })'; do
	mt="setmetatable({}, { __index = function() $bad end })"
	echo "return $mt" >"$tmp/a.lua"
	echo "return { run = function() end, sizes = $mt }" >"$tmp/b.lua"
	echo "return { figures = { { name = 'x', runs = function() return { $mt } end, table = function() return $mt end } } }" >"$tmp/c.lua"
	echo "return { figures = { { name = 'x', runs = function() return {} end, table = function() return $mt end } } }" >"$tmp/d.lua"
	for args in "run $tmp/a.lua" "run $tmp/b.lua" "run vecadd --gpu $tmp/a.lua" "debug vecadd --gpu $tmp/a.lua --batch" \
		"paper $tmp/a.lua --out $tmp/p" "paper $tmp/c.lua --out $tmp/p" "paper $tmp/d.lua --out $tmp/p" \
		"list workloads $tmp/a.lua" "paper $tmp/b.lua --out $tmp/p"; do
		timeout 60 "$W" $args >"$tmp/out" 2>&1 </dev/null
		got=$?
		check "$bad: $args" test $got -le 2
	done
	expect 2 "error: run: $tmp/a.lua" debug vecadd --size small --batch -ex "run --gpu $tmp/a.lua"
done
echo 'return setmetatable({}, { __index = function() while true do end end })' >"$tmp/a.lua"
expect 2 "used up its budget" run vecadd --gpu "$tmp/a.lua"

# A machine's name is a name.
esc=$(printf '\033')
printf 'return { ["machine"] = "\\27[31mred" }\n' >"$tmp/${esc}]0;title.lua"
printf 'return { base = "gtx480", ["machine"] = "\\27[31mred" }\n' >"$tmp/named.lua"
for args in "--gpu $tmp/${esc}]0;title.lua" "--gpu $tmp/named.lua" "--set machine=${esc}[2J"; do
	"$W" $small $args >"$tmp/report" 2>&1
	check "no escape sequence of a machine's name" sh -c "grep -q 'cycles' '$tmp/report' && ! grep -q '$esc' '$tmp/report'"
done

echo 'return { [1] = 1 }' >"$tmp/list.lua"
expect 2 "[1] is not the name of a key" run vecadd --gpu "$tmp/list.lua"

# The machine's own memory is nobody's to write.
for what in 'cuda.copy(0x100000000, cuda.host("u32", 4))' 'cuda.memset(0x100000000, 1, 64)'; do
	echo "return { run = function(cuda) $what end }" >"$tmp/own.lua"
	expect 2 "kernel parameters is read-only" run "$tmp/own.lua"
done
expect 2 "code is read-only" debug vecadd --size small --batch -ex 'step 5' -ex 'lua mem.write_u32(0x100010100, 1)'
