#!/bin/sh
# `warpdbg help TOPIC` and the manual page: the same text; `make install` and `uninstall`.
. "$(dirname "$0")/../rig/cli_rig.sh"

# --- help ---

"$W" help >"$tmp/contents" 2>&1
check "help" [ $? -eq 0 ]
topics=$(sed -n 's/^    \([a-z]*\)  .*/\1/p' "$tmp/contents")
check "topics are listed" [ "$(echo "$topics" | wc -l)" -ge 12 ]
bad=
for topic in $topics; do
	"$W" help "$topic" >"$tmp/$topic.text" 2>&1 && [ -s "$tmp/$topic.text" ] || bad="$bad $topic"
done
check "each topic has a text:$bad" [ -z "$bad" ]

# What is in the tables: every command, option, table of the debugger.
"$W" list commands --format json | sed -n 's/^  "usage": "\(.*\)",*$/\1/p' >"$tmp/usages"
check "there are commands" [ "$(wc -l <"$tmp/usages")" -gt 60 ]
bad=
while read -r usage; do
	name=$(echo "$usage" | sed 's/[ /[].*//')
	case $usage in
	info\ [a-z]*) "$W" help $(echo "$usage" | cut -d' ' -f1-2) ;; # shellcheck disable=SC2046
	*) "$W" help "$name" ;;
	esac >"$tmp/said" 2>&1
	[ $? -eq 0 ] && grep -qF -- "$(echo "$usage" | sed 's/\\\\/\\/g')" "$tmp/said" || bad="$bad $name"
done <"$tmp/usages"
check "help of each of the debugger's commands:$bad" [ -z "$bad" ]
bad=
for option in $("$W" --help | sed -n 's/^  --*\([a-z][a-z-]*\) .*/\1/p'); do
	"$W" help "$option" >"$tmp/said" 2>&1 && grep -q -- "^--*$option" "$tmp/said" || bad="$bad $option"
done
check "help of each option:$bad" [ -z "$bad" ]

expect 0 "--warp-sched NAME" help run
cp "$tmp/out" "$tmp/said"
check "of its own options alone" [ "$(grep -c -- '--until' "$tmp/said")" = 0 ]
check "a word of two meanings has both" grep -q "In the debugger" "$tmp/said"
expect 0 "reverse-step [N]" help rs
expect 0 "resident warps" help info warps
expect 0 "dbg.on(event" help lua dbg.on
expect 0 "finished and the workload's own check passed" help exit
expect 2 "there is nothing called 'brak' (near it: 'break')" help brak
expect 2 "(near it: 'release', 'reverse-step', 'reverse-next', 'reverse-continue', 'reverse-finish')" help reverse
expect 2 "there is nothing called 'zzzzzz'; \`warpdbg help\` lists what there is" help zzzzzz
expect 2 "unknown info topic 'warsp' (did you mean 'warps'?)" help info warsp
expect 2 "help lua: there is nothing called 'dbg.none'" help lua dbg.none
expect 2 "help break: unexpected word 'now'" help break now
expect 2 "help: one topic" help info warps now
expect 2 "--format man is for all of the manual page" help run --format man
expect 2 "man, bash and zsh are for \`warpdbg help\`" list gpus --format man
expect 2 "man, bash and zsh are for \`warpdbg help\`" help --format json
expect 2 "--gpu does not belong to \`warpdbg help\`" help --gpu v100

# --- the manual page ---

"$W" help --format man >"$tmp/warpdbg.1"
check "a manual page" grep -q '^[.]TH "WARPDBG" "1"' "$tmp/warpdbg.1"
words() { tr -d '`' | tr -s ' \n\t' '   ' | sed 's/^ //; s/ $//'; }
if command -v groff >/dev/null; then
	groff -man -ww -z -Tutf8 "$tmp/warpdbg.1" >"$tmp/said" 2>&1
	check "groff has nothing to complain of" [ ! -s "$tmp/said" ]
	LC_ALL=C.UTF-8 groff -man -Tutf8 -P-c -rHY=0 -rLL=4000n -dAD=l "$tmp/warpdbg.1" 2>&1 | sed "s/$(printf '\033')\\[[0-9;]*m//g" |
		sed 's/.'"$(printf '\010')"'//g' | words >"$tmp/page"
	bad=
	for topic in $topics; do
		sed "/^In the debugger$/,\$d" "$tmp/$topic.text" | words >"$tmp/text" # its other meaning
		grep -qF -- "$(cat "$tmp/text")" "$tmp/page" || bad="$bad $topic"
	done
	check "the page has the text of each topic:$bad" [ -z "$bad" ]
fi

# --- make install ---

root=$tmp/root
make -s install DESTDIR="$root" PREFIX=/opt/x >"$tmp/said" 2>&1
check "make install: $(tail -1 "$tmp/said")" [ -x "$root/opt/x/bin/warpdbg" ]
check "nothing beside its prefix" [ "$(ls "$root" "$root/opt" | tr '\n' ' ')" = "$root: opt  $root/opt: x " ]
check "the manual page" cmp "$root/opt/x/share/man/man1/warpdbg.1" "$tmp/warpdbg.1"
check "bash's completion" grep -q _warpdbg "$root/opt/x/share/bash-completion/completions/warpdbg"
check "zsh's completion" grep -q "^#compdef" "$root/opt/x/share/zsh/site-functions/_warpdbg"
check "the documents, with links that lead somewhere" tests/tools/links.sh -l "$root/opt/x/share/doc/warpdbg"
check "all of them" [ "$(find "$root/opt/x/share/doc" -name '*.md' | wc -l)" -ge 11 ]
(cd "$tmp" && "$root/opt/x/bin/warpdbg" run vecadd --size small) >"$tmp/said" 2>&1
check "it runs from there" grep -q "check passed" "$tmp/said"
touch "$root/opt/x/share/doc/other"
make -s uninstall DESTDIR="$root" PREFIX=/opt/x >"$tmp/said" 2>&1
check "make uninstall leaves what is not ours" [ "$(find "$root" -type f)" = "$root/opt/x/share/doc/other" ]
