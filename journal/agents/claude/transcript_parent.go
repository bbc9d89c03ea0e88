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
	// forkBytes bounds the part of a fork's transcript that is read. The copied rows begin at the parent's newest compaction.
	forkBytes = 64 << 20
	// siblingFiles and siblingBytes bound the number and the total size of the other transcripts in the folder that are read.
	siblingFiles = 500
	siblingBytes = 256 << 20
	// longestID is longer than the client's row ids, which are UUIDs.
	longestID = 128
)

// parent implements transcript.Format.Parent. The client copies the parent's rows with their ids, under the fork's session id. The parent
// is the session in the same folder whose transcript has the most of these rows.
//
// Other forks may have as many of them. Then the session that a copied row named last is the parent: a copied answer names the session
// that asked for it, and the rows of a branch name its origin. If the transcript of this session is missing, no parent is certain. The
// named session is not always the parent, because a parent may have no answers of its own.
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
			return "", "", nil // the session's file was replaced
		case n > best:
			best, sure, session, row = n, true, sessionOf(file), first
		case n == best && session != c.named:
			sure = false
		}
		if named && n == len(c.ids) {
			break // no session can have more rows
		}
	}
	if !sure {
		return "", "", nil
	}
	return session, row, nil
}

const transcriptExt = ".jsonl"

// sessionOf returns the session in the name of a transcript.
func sessionOf(path string) string { return strings.TrimSuffix(filepath.Base(path), transcriptExt) }

// copies holds the ids of the rows that a fork copied from its parent.
type copies struct {
	session string         // the fork's session
	ids     []string       // ids of the copied rows, in the fork's order
	index   map[string]int // index in ids of each id
	named   string         // the other session that a copied row named last, "" for none
	whole   bool           // all copied rows were read
}

// read reads rows up to the first one that is not a copy: rows from before the time began, at which the fork began, are copies.
func (c *copies) read(r io.Reader, began time.Time) error {
	for b, err := range transcript.NewRows(r, rowLimits).All {
		if err != nil {
			return err
		}
		if !bytes.Contains(b, uuidMember) || !transcript.Closed(b) {
			continue
		}
		row := rowFields.read(b)
		if row.uuid == "" || len(row.uuid) > longestID {
			continue
		}
		if !row.at.Before(began) {
			c.whole = true
			return nil
		}
		// A branch inside a running client names its origin.
		for _, s := range []string{row.forked, row.asked, row.session} {
			if s != "" && s != c.session {
				c.named = s
				break
			}
		}
		if _, twice := c.index[row.uuid]; !twice {
			c.index[row.uuid] = len(c.ids)
			c.ids = append(c.ids, row.uuid)
		}
	}
	return nil
}

// siblings lists the other transcripts of a folder, at most siblingFiles: that of the named session first, then the others, newest
// first. If the transcript of the named session is missing, it returns none.
func (c *copies) siblings(dir string) (paths []string, err error) {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	changed := map[string]time.Time{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != transcriptExt || sessionOf(e.Name()) == c.session {
			continue
		}
		if fi, err := e.Info(); err == nil {
			path := filepath.Join(dir, e.Name())
			paths, changed[path] = append(paths, path), fi.ModTime()
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(changed[b].Compare(changed[a]), strings.Compare(a, b)) })
	if c.named != "" {
		i := slices.IndexFunc(paths, func(path string) bool { return sessionOf(path) == c.named })
		if i < 0 {
			return nil, nil
		}
		paths = slices.Concat(paths[i:i+1], paths[:i], paths[i+1:])
	}
	return paths[:min(len(paths), siblingFiles)], nil
}

// uuidMember is the name of the member "uuid" in a row.
var uuidMember = []byte(`"uuid"`)

// heldBy returns the number of copied rows that a file has, and the id of the first of them in the fork's order. left is the number of
// bytes that may still be read; heldBy subtracts the bytes that it reads. A file that cannot be read counts as empty.
func (c *copies) heldBy(path string, left *int64) (n int, first string) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	size := min(fi.Size(), *left)
	*left -= size
	held := make([]bool, len(c.ids))
	for row, err := range transcript.NewRows(io.LimitReader(f, size), rowLimits).All {
		if err != nil {
			return 0, ""
		}
		// Rows are not decoded, because an id does not occur in a row by chance.
		for rest := range bytes.SplitSeq(row, uuidMember) {
			id, _, _ := bytes.Cut(bytes.TrimLeft(rest, `: "`), []byte(`"`))
			if i, copied := c.index[string(id)]; copied {
				held[i] = true
			}
		}
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
