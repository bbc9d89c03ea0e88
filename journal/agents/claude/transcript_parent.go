package claude

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

const (
	// forkBytes bounds what is read of a fork's transcript. It begins with what the
	// client goes on from, so at the parent's newest compaction.
	forkBytes = 64 << 20
	// siblingFiles and siblingBytes bound what is read of the transcripts beside
	// it, the newest first, all together.
	siblingFiles = 500
	siblingBytes = 256 << 20
	// longestID is more than the client's row ids have, which are UUIDs.
	longestID = 128
)

// parent finds the parent of a fork: the session beside it that holds the most
// of the rows that were written before the fork began. The client copies them with
// their ids and under the fork's own session id; only a copied answer tells which
// session asked for it, and the rows of a branch what they were branched from. The
// session that is named last is the parent when several hold equally many, as other
// forks of it do, and without its transcript nothing is sure. It need not be the
// parent: that can have prompts and no answers of its own.
func parent(path string, began time.Time) (session, row string, err error) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	c := copies{session: sessionOf(path), index: map[string]int{}}
	if err := c.read(io.LimitReader(f, min(fi.Size(), forkBytes)), began); err != nil {
		return "", "", err
	}
	if !c.whole {
		return "", "", fmt.Errorf("a row of the fork's own: %w", fs.ErrNotExist)
	}
	files, err := c.siblings(filepath.Dir(path))
	if err != nil {
		return "", "", err
	}
	best, sure, left := 0, false, int64(siblingBytes)
	for _, file := range files {
		n, first := c.heldBy(file, &left)
		named := sessionOf(file) == c.named
		switch {
		case named && n == 0:
			return "", "", nil // it is not the file that it was
		case n > best:
			best, sure, session, row = n, true, sessionOf(file), first
		case n == best && session != c.named:
			sure = false
		}
		if named && n == len(c.ids) {
			break // nobody holds more
		}
	}
	if !sure {
		return "", "", nil
	}
	return session, row, nil
}

const transcriptExt = ".jsonl"

// sessionOf is the session whose transcript a file is.
func sessionOf(path string) string { return strings.TrimSuffix(filepath.Base(path), transcriptExt) }

// copies are the rows that a fork has from its parent.
type copies struct {
	session string         // the fork
	ids     []string       // in the fork's order
	index   map[string]int // of each id
	named   string         // whom the newest row names that names another session
	whole   bool           // a row of the fork's own follows
}

// read takes rows up to the first one of the fork's own.
func (c *copies) read(r io.Reader, began time.Time) error {
	return transcript.NewRows(r, rowLimits, nil).Each(func(b []byte) bool {
		if !bytes.Contains(b, uuidMember) || !transcript.Closed(b) {
			return true
		}
		one := rowFields.read(b)
		if one.uuid == "" || len(one.uuid) > longestID {
			return true
		}
		if !one.at.Before(began) {
			c.whole = true
			return false
		}
		// A branch inside a running client names whom it was branched from.
		branched := transcript.Unquote(get(one.forked, "sessionId"))
		for _, s := range []string{branched, one.asked, one.session} {
			if s != "" && s != c.session {
				c.named = s
				break
			}
		}
		if _, twice := c.index[one.uuid]; !twice {
			c.index[one.uuid] = len(c.ids)
			c.ids = append(c.ids, one.uuid)
		}
		return true
	})
}

// siblings lists the other transcripts of a folder: the named one, then the newest.
// When one is named and not there, there are none.
func (c *copies) siblings(dir string) ([]string, error) {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type file struct {
		path  string
		named bool
		at    time.Time
	}
	var files []file
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != transcriptExt || sessionOf(name) == c.session {
			continue
		}
		if fi, err := e.Info(); err == nil {
			files = append(files, file{filepath.Join(dir, name), sessionOf(name) == c.named, fi.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		if a.named != b.named {
			if a.named {
				return -1
			}
			return 1
		}
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.path, b.path))
	})
	if len(files) == 0 || c.named != "" && !files[0].named {
		return nil, nil
	}
	var paths []string
	for _, f := range files[:min(len(files), siblingFiles)] {
		paths = append(paths, f.path)
	}
	return paths, nil
}

var uuidMember = []byte(`"uuid":"`)

// heldBy counts the copied rows that a file holds, and gives the first of them in
// the fork's order. It takes what it reads from the bytes left; a file that cannot
// be read holds none.
func (c *copies) heldBy(path string, left *int64) (n int, first string) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	size := min(fi.Size(), *left)
	*left -= size
	held := make([]bool, len(c.ids))
	err = transcript.NewRows(io.LimitReader(f, size), rowLimits, nil).Each(func(row []byte) bool {
		// A row is not decoded: an id is nothing that stands in a row by chance.
		for {
			_, rest, found := bytes.Cut(row, uuidMember)
			if !found {
				return true
			}
			id, _, _ := bytes.Cut(rest, []byte(`"`))
			if i, copied := c.index[string(id)]; copied {
				held[i] = true
			}
			row = rest
		}
	})
	if err != nil {
		return 0, ""
	}
	for i, h := range held {
		if !h {
			continue
		}
		if n++; n == 1 {
			first = c.ids[i]
		}
	}
	return n, first
}
