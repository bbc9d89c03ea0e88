package client

import (
	"path/filepath"
	"strings"

	"journal/events"
	"journal/events/text"
)

// ProjectKey returns the key of the project at root: its base name and eight hex digits of the digest of its real path (ADR-0015
// rule 4). Two checkouts of one name have different keys; a checkout and a symbolic link to it have the same key. The path itself
// would take 100 to 300 bytes in every record. The key of an empty root is events.None.
func ProjectKey(root string) string {
	if root == "" {
		return events.None
	}
	if abs, err := filepath.Abs(root); err == nil { // else there is no working directory
		root = abs
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = filepath.Clean(root)
	}
	base := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r > 0x7f {
			return r
		}
		return '-'
	}, filepath.Base(real))
	if len(base) > 48 {
		base = strings.ToValidUTF8(base[:48], "")
	}
	return base + "-" + text.Digest(real)[:8]
}
