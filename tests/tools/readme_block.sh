#!/bin/sh
# readme_block.sh LANGUAGE FIRST: prints the code block of README.md in this language whose first line begins with FIRST.
awk -v lang="$1" -v first="$2" '
	/^```/ { on = 0; wanted = $0 == "```" lang; next }
	wanted { on = index($0, first) == 1; found += on; wanted = 0 }
	on { print }
	END { exit !found }' "$(dirname "$0")/../../README.md"
