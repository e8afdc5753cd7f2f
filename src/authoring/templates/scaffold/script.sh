#!/bin/sh
# __TITLE__
# The input is JSON in the file after --input; the output goes as JSON into the file after --output.
set -eu
while [ $# -gt 1 ]; do
  case "$1" in
    --input) input=$2 ;;
    --output) output=$2 ;;
  esac
  shift 2
done

# The work goes here. It has failed when this ends with another exit code than 0; say why on stderr.
__OUTPUT__
