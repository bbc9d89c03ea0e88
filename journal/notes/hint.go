package notes

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"journal/journal/disk"
)

// hint is how a file looked when it was last observed.
type hint struct {
	Kind  string `json:"kind"`
	Size  int64  `json:"size,omitempty"`
	Time  int64  `json:"time,omitempty"` // of its last change, ns since 1970
	Inode uint64 `json:"inode,omitempty"`
	// Unreadable says that not even its stat worked.
	Unreadable bool `json:"unreadable,omitempty"`
}

// settled is the age of a change from which the next one surely has another time:
// file systems keep times to the tick of a clock, 10 ms at most.
const settled = 20 * time.Millisecond

// hintOf returns the hint of a file, and whether it can be relied on.
func hintOf(kind string, info fs.FileInfo, now time.Time) (hint, bool) {
	age := now.Sub(info.ModTime())
	return hint{
		Kind: kind, Size: info.Size(), Time: info.ModTime().UnixNano(), Inode: inode(info),
	}, age < 0 || age > settled
}

// maxHints bounds the file of hints, in bytes: enough for some 20,000 files.
const maxHints = 4 << 20

// hints are the hints of one project's files, by name.
type hints map[string]hint

// loadHints reads the hints; a missing or damaged file has none.
func loadHints(path string) hints {
	var h hints
	b, err := disk.ReadFile(path, maxHints)
	if err != nil || json.Unmarshal(b, &h) != nil || h == nil {
		return hints{}
	}
	return h
}

// save replaces the hints in one step. It does not make the journal directory: a
// removed one must not come back. Nothing depends on its success.
func (h hints) save(path string) {
	b, err := json.Marshal(h)
	if err != nil {
		return
	}
	_ = os.Mkdir(filepath.Dir(path), 0o700)
	_ = disk.Replace(path, b, 0o600)
}
