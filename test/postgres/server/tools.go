//go:build tools

// Package tools names the two programs of the real Temporal server that the suite builds.
package tools

import (
	_ "go.temporal.io/server/cmd/server"
	_ "go.temporal.io/server/cmd/tools/sql"
)
