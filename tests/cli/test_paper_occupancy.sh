#!/bin/sh
# CTAs an SM holds on the papers' machines, beside all that the papers state. Changes to kernels and to the estimate of
# registers may move these on purpose; what may not happen is that fewer agree and nobody notices.
. "$(dirname "$0")/../rig/cli_rig.sh"

check "the figures" timeout 600 "$W" paper occupancy --out "$tmp/o"
cp "$tmp/out" "$tmp/all"
says() { check "$1" grep -qF -- "$1" "$tmp/all"; }
says "before 1.37, after 1.03." # registers over the published ones, in the median
says "published before 43 and after 51 of 54 times."
says "before 19 and after 20 of 23 agree."
# row NAME BEFORE AFTER: of the occupancies that moved the papers' results
row() { check "$1: CTAs of an SM: $2, then $3" grep -Eq "^$1  +[0-9]( to [0-9])?  +$2  +$3  " "$tmp/all"; }
row "Park KM.1" 5 6
row "Park HS" 4 3
row "Park MUM.0" 4 6
row "Lee SRAD" 4 6
row "Lee LBM" 6 7
row "Awatramani B\+T-K2" 5 6
