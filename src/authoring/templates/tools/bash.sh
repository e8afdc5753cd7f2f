#!/usr/bin/env bash
# Runs the command that it is given.
set -eu
exec bash -c -- "$1"
