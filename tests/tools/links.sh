#!/bin/sh
# links.sh [-l] [DIRECTORY]: what is wrong in the Markdown documents below DIRECTORY (.): links to files and headings that are
# not there, documents to which no way leads from README.md, paths of the tree in `code` that do not exist, code blocks
# without an end. Nothing and status 0 when all is well. -l: links alone, where the tree is not.
links=0
if [ "${1:-}" = -l ]; then
	links=1
	shift
fi
cd "${1:-.}" || exit 2
awk -v links=$links '
function complain(what) {
	print FILENAME ":" FNR ": " what
	bad = 1
}
# The anchor that a heading gets on the usual hosts; of equal ones the second has -1, the third -2.
function anchor(heading) {
	gsub(/`/, "", heading)
	gsub(/\]\([^)]*\)/, "", heading)
	heading = tolower(heading)
	gsub(/[^a-z0-9_ -]/, "", heading)
	gsub(/ /, "-", heading)
	return heading
}
function normal(path) { # a/../b and ./b: b
	sub(/^\.\//, "", path)
	gsub(/\/\.\//, "/", path)
	while (match(path, /[^\/.]+\/\.\.\//))
		path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
	return path
}
function exists(path) {
	if (!(path in there))
		there[path] = system("test -e \"" path "\"") == 0
	return there[path]
}
function link(target, hash, file, name) {
	if (target ~ /^[a-z]+:/)
		return
	hash = index(target, "#")
	name = hash ? substr(target, hash + 1) : ""
	file = hash ? substr(target, 1, hash - 1) : target
	file = file == "" ? here : normal(dir file)
	if (!exists(file))
		complain("no such file: " target)
	else if (name != "" && !((file, name) in anchors)) {
		late[++nlate] = file SUBSEP name
		from[nlate] = FILENAME ":" FNR ": no such heading: " target
	}
	leads[here] = leads[here] " " file
}
function code(text, path, before, rest) {
	if (links)
		return
	while (match(text, /(src|ui|tests|scripts|configs)\/[A-Za-z0-9_.\/-]*[A-Za-z0-9_\/]/)) {
		path = substr(text, RSTART, RLENGTH)
		before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
		rest = substr(text, RSTART + RLENGTH)
		if (before !~ /[A-Za-z0-9_.\/-]/ && rest !~ /^[*<{]/ && path !~ /FILE/ && !exists(path))
			complain("no such path: " path)
		text = rest
	}
}
FNR == 1 {
	if (fence)
		print last ": a code block has no end"
	bad += fence
	fence = 0
	last = FILENAME
	here = normal(FILENAME)
	documents[++ndocuments] = here
	dir = here
	if (!sub(/[^\/]*$/, "", dir))
		dir = ""
}
/^[ ]*```/ {
	fence = !fence
	next
}
fence {
	code($0)
	next
}
/^#+ / {
	name = $0
	sub(/^#+ /, "", name)
	name = anchor(name)
	anchors[here, headings[here, name]++ ? name "-" (headings[here, name] - 1) : name]
}
{
	line = $0
	while (match(line, /`[^`]*`/)) {
		found = substr(line, RSTART + 1, RLENGTH - 2)
		asked = substr(line, 1, RSTART - 1) ~ /Write $/ # a file that the reader is to write
		line = substr(line, 1, RSTART - 1) "x" substr(line, RSTART + RLENGTH)
		if (!asked)
			code(found)
	}
	while (match(line, /\]\([^) ]*\)/)) {
		found = substr(line, RSTART + 2, RLENGTH - 3)
		line = substr(line, RSTART + RLENGTH)
		link(found)
	}
}
END {
	for (i = 1; i <= nlate; i++)
		if (!(late[i] in anchors)) {
			print from[i]
			bad = 1
		}
	todo[n = 1] = "README.md"
	seen["README.md"]
	for (i = 1; i <= n; i++) {
		k = split(leads[todo[i]], to, " ")
		for (j = 1; j <= k; j++)
			if (!(to[j] in seen)) {
				seen[to[j]]
				todo[++n] = to[j]
			}
	}
	for (i = 1; i <= ndocuments; i++)
		if (!(documents[i] in seen)) {
			print documents[i] ": no way leads here from README.md"
			bad = 1
		}
	exit bad != 0
}' $(find . -name '*.md' ! -path './build*' ! -path './results/*' | sort)
