package transcript

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Spent is what one request to a model used, as a transcript tells it.
type Spent struct {
	ID    string // of the request: a fork's transcript repeats it
	At    time.Time
	Model string // empty: unknown
	Tokens
}

// Tokens are counted as they are paid: none is in two of them.
type Tokens struct {
	Input      int64 `json:"input"`       // that no cache held
	CacheRead  int64 `json:"cache_read"`  // input that a cache held
	CacheWrite int64 `json:"cache_write"` // input that was put into the cache
	Output     int64 `json:"output"`
}

// Add adds up.
func (t *Tokens) Add(o Tokens) {
	t.Input, t.CacheRead, t.CacheWrite, t.Output = t.Input+o.Input, t.CacheRead+o.CacheRead, t.CacheWrite+o.CacheWrite, t.Output+o.Output
}

// sessionName is how long the id of a session at the end of a transcript's name is, in bytes.
const sessionName = 36

// Kept finds the transcripts of sessions in the folder where the agent keeps them, by the ids in their names. What
// cannot be read is left out.
func (f *Format) Kept(home string) map[string]string {
	all := map[string]string{}
	root, err := filepath.EvalSymlinks(filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(f.Folder, "~/"))))
	if err != nil {
		return all
	}
	// What cannot be read tells nothing: its sessions are unknown.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(filepath.Base(path), f.Ext); ok && err == nil && d.Type().IsRegular() && len(name) >= sessionName {
			all[name[len(name)-sessionName:]] = path
		}
		return nil
	})
	return all
}
