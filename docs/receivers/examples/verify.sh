#!/usr/bin/env bash
# Checks one stored request: verify.sh 't=1767225600,v1=5f2c…' body.json   (the secret in SIGNING_SECRET)
set -euo pipefail
header=$1 body=$2
: "${SIGNING_SECRET:?is empty: set it to the signing secret of the destination}"
t=$(tr ',' '\n' <<<"$header" | sed -n 's/^ *t=\([0-9]*\) *$/\1/p')
v1=$(tr ',' '\n' <<<"$header" | sed -n 's/^ *v1=\([0-9a-f]*\) *$/\1/p')
# The HMAC key is the secret exactly as shown, with its prefix and without decoding.
expected=$( (printf '%s.' "$t" && cat "$body") | openssl dgst -sha256 -hmac "$SIGNING_SECRET" -r | cut -d' ' -f1)
[ "$v1" = "$expected" ] && echo "signed with this secret at $(date -u -d "@$t" +%FT%TZ 2>/dev/null || date -u -r "$t" +%FT%TZ)" || { echo 'not signed with this secret' >&2; exit 1; }
