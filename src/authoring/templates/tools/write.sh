#!/usr/bin/env bash
# Writes what is on stdin to the file that it is given.
set -eu
mkdir -p "$(dirname "$1")"
cat > "$1"
