#!/bin/sh
# What a session starts with: ./.warpdbgrc and ~/.warpdbgrc, then -ex and -x. A mistake in one is told with file and line
# and leaves out the rest of that file, not the others.
. "$(dirname "$0")/../rig/cli_rig.sh"

mkdir "$tmp/home" "$tmp/here"
ln -s "$PWD/configs" "$PWD/scripts" "$tmp/here"
printf 'echo home 1\\n\nnonsense 3\necho home 3\\n\nalias pp = print 40 +\n' >"$tmp/home/.warpdbgrc"
printf 'echo here 1\\n\nprint nil + 1\necho here 3\\n\n' >"$tmp/here/.warpdbgrc"
printf 'echo file 1\\n\nsource inner\necho file 3\\n\n' >"$tmp/here/outer"
printf 'echo inner 1\\n\nstep x\necho inner 3\\n\n' >"$tmp/here/inner"

session() { # session ARGUMENTS...: an interactive one without a terminal; what it says is in $tmp/said
	(cd "$tmp/here" && echo 'print 6 * 7' | HOME=$tmp/home timeout 60 "$W" debug vecadd --size small "$@") >"$tmp/said" 2>&1
}
says() {
	for text in "$@"; do grep -qF -- "$text" "$tmp/said" || return 1; done
}
says_not() {
	for text in "$@"; do grep -qF -- "$text" "$tmp/said" && return 1; done
	return 0
}

session -ex 'echo option 1\n' -ex 'nonsense' -x outer -ex 'echo option 4\n'
check "errors name file and line" says "home/.warpdbgrc:2: error: unknown command 'nonsense'" ".warpdbgrc:2: error: " \
	"-ex: error: unknown command 'nonsense'" "inner:2: error: "
check "they say what is left out" says "(the rest of the file is left out)"
check "what stands in front of a mistake is executed" says "home 1" "here 1" "file 1" "inner 1"
check "what stands behind it is not" says_not "home 3" "here 3" "file 3" "inner 3"
check "other files and options are" says "option 1" "option 4"
check "and the session goes on" says "42"

printf 'alias pp = print 40 +\n' >"$tmp/home/.warpdbgrc"
rm "$tmp/here/.warpdbgrc"
session -ex 'pp 3'
check "an alias of the start takes arguments" says "43"

# In batch mode the first error is the end, whoever comes next; start files are not read.
printf 'nonsense\n' >"$tmp/home/.warpdbgrc"
HOME=$tmp/home expect 0 "fine" debug vecadd --size small --batch -ex 'echo fine'
HOME=$tmp/home expect 2 "inner:2: error" debug vecadd --size small --batch -x "$tmp/here/inner" -ex 'echo fine'
check "in batch mode an error ends all" sh -c "! grep -q fine '$tmp/out'"
