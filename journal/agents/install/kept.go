package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// original is what settings were before the installation, so that uninstalling gives the
// same bytes back.
type original struct {
	Path    string `json:"path"`
	Before  []byte `json:"before"` // nil: there was no file
	MadeDir bool   `json:"made_dir"`
	After   string `json:"after"` // digest of what the installation wrote
}

// keptFile is the file that holds an original.
type keptFile struct {
	path  string    // "" keeps nothing
	write *original // nil: nothing is to be kept
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// keptFor says where the original of a settings file is.
func (t target) keptFor(real string) keptFile {
	if t.keep == "" {
		return keptFile{}
	}
	return keptFile{path: filepath.Join(t.keep, digest([]byte(real))[:16]+".json")}
}

// read gives the original; without one that can be read it is the zero value.
func (k keptFile) read() (o original, ok bool) {
	b, err := disk.ReadFile(k.path, 2*maxSettings)
	return o, err == nil && json.Unmarshal(b, &o) == nil
}

// update makes the file say what the plan that was applied has to remember.
func (k keptFile) update() error {
	switch {
	case k.path == "":
		return nil
	case k.write == nil:
		if err := os.Remove(k.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	b, err := json.Marshal(k.write)
	if err == nil {
		err = disk.MakePrivate(filepath.Dir(k.path))
	}
	if err != nil {
		return err
	}
	return disk.ReplaceDurable(k.path, b) // settings may hold keys
}

// withoutUs gives what settings are when journal is taken out: the original, while they are
// as the installation left them; else what they hold now, without what is ours. known says
// that it is what the person wrote, byte for byte.
func (t target) withoutUs(p Plan) (_ original, known bool, err error) {
	was, ok := p.kept.read()
	if ok && p.Before != nil && was.After == digest(p.Before) {
		return was, true, nil
	}
	now := original{Path: p.real, Before: p.Before, MadeDir: len(p.makeDirs) > 0}
	if p.Before == nil {
		return now, true, nil
	}
	s, err := t.parse(p.Before)
	if err != nil {
		return original{}, false, err
	}
	if err := t.check(s, false); err != nil {
		return original{}, false, t.at(err)
	}
	if t.agent.Settings.StatusLine {
		t.removeStatusLine(s)
	}
	if t.prune(s, nil); s.changed { // else the rules are the person's
		var own *settings
		if ok && was.Before != nil {
			if own, err = t.parse(was.Before); err != nil {
				return original{}, false, err
			}
		}
		t.disallow(s, own)
	}
	now.Before = s.bytes()
	if ok && was.Before == nil && s.changed && len(members(&s.root)) == 0 {
		now.Before, now.MadeDir = nil, was.MadeDir // it was ours alone
	}
	return now, !s.changed, nil
}
