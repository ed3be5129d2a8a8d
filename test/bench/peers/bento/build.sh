#!/bin/sh
# Builds Bento with just the parts that the benchmark needs, into .backflow/bench/bento-lite. Needs Go.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out="$here/../../../../.backflow/bench"
mkdir -p "$out"
cd "$here"
CGO_ENABLED=0 go build -o "$out/bento-lite" .
