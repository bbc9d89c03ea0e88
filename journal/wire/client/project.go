package client

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"journal/events"
	"journal/events/text"
)

// maxBase bounds the base name in a key, in bytes: keys stand in the subject of every event.
const maxBase = 48

// ProjectKey returns the key of the project at root: its base name and eight hex digits of the digest of its real path (ADR-0015
// rule 4). Two checkouts of one name have different keys; a checkout and a symbolic link to it have the same key. The path itself
// would take 100 to 300 bytes in every record. The key of an empty root is events.None.
func ProjectKey(root string) string {
	if root == "" {
		return events.None
	}
	absolute := root
	if abs, err := filepath.Abs(root); err == nil { // else there is no working directory
		absolute = abs
	}
	real, err := filepath.EvalSymlinks(absolute)
	if err == nil {
		root = real
	} else {
		real = filepath.Clean(absolute)
	}
	name := filepath.Base(real)
	if spelled, last := windowsPath(root); spelled != "" {
		real, name = spelled, last
	}
	real, name = norm.NFC.String(real), norm.NFC.String(name) // on a Mac, terminals and editors compose characters differently
	base := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r > 0x7f {
			return r
		}
		return '-'
	}, name)
	if len(base) > maxBase {
		base = strings.ToValidUTF8(base[:maxBase], "")
	}
	return base + "-" + text.Digest(real)[:8]
}

// windowsPath returns an absolute path of Windows in one spelling, and its last element. Clients in a terminal name the same directory
// C:\shop that those in an editor name c:\shop or c:/shop, and Codex \\?\C:\shop. Both are "" for any other path.
func windowsPath(root string) (spelled, name string) {
	if long, ok := strings.CutPrefix(root, `\\?\`); ok {
		root = long
		if share, ok := strings.CutPrefix(root, `UNC\`); ok {
			root = `\\` + share
		}
	}
	slashed := strings.ReplaceAll(root, `\`, "/")
	drive := len(root) > 2 && root[1] == ':' && slashed[2] == '/' && strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZ", unicode.ToUpper(rune(root[0])))
	switch {
	case drive:
		spelled = strings.ToUpper(root[:1]) + path.Clean(slashed[1:])
	case strings.HasPrefix(root, `\\`): // on another machine
		spelled = "/" + path.Clean(slashed)
	default:
		return "", ""
	}
	return strings.ReplaceAll(spelled, "/", `\`), path.Base(spelled)
}
