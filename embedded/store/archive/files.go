package archive

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"journal/journal/disk"
)

// writeSealed writes a sealed segment. content is compressed.
func writeSealed(dir string, first uint64, content []byte, s seal) error {
	b := s.append(content)
	sum := sha256.Sum256(b)
	return disk.ReplaceDurable(filepath.Join(dir, sealedName(first, s.last)), append(b, sum[:]...))
}

// removeOthers removes the files that the sealed segment from first to last replaces: the open segment and shorter sealed ones.
func removeOthers(dir string, first, last uint64) error {
	groups, err := list(dir)
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(groups...) {
		if p.first == first && p.last < last {
			err = errors.Join(err, os.Remove(filepath.Join(dir, p.name)))
		}
	}
	return err
}

// removeTemporary removes the unfinished files of a killed writer. Their records are in other files too: in those of the same segment, or in
// one that setAside has renamed, and then also in the log.
func removeTemporary(dir string) error {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), newSuffix), tmpSuffix)
		if _, segment := parseName(name); segment && name != e.Name() {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// setAside renames a damaged file, so that it no longer counts as a segment. The file is never deleted.
func setAside(dir, name string) error {
	to := filepath.Join(dir, name+asideSuffix)
	for n := 1; ; n++ {
		_, err := os.Lstat(to)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return fmt.Errorf("set %s aside: %w", name, err)
		}
		to = filepath.Join(dir, name+asideSuffix+"."+strconv.Itoa(n))
	}
	if err := os.Rename(filepath.Join(dir, name), to); err != nil {
		return fmt.Errorf("set %s aside: %w", name, err)
	}
	return disk.SyncDir(dir)
}

// The suffixes of names. Only files with one of the first two are segments.
const (
	openSuffix   = ".open"
	sealedSuffix = ".zst"
	newSuffix    = ".new"     // of disk.ReplaceDurable, until the file is complete
	tmpSuffix    = ".tmp"     // of the file that will replace a torn open segment
	asideSuffix  = ".damaged" // of a file that setAside has renamed
)

// segmentFile is the file of a segment. Several files can have the same first sequence: a short sealed segment is opened again for more
// records, and both files exist until the longer segment is sealed.
type segmentFile struct {
	name  string
	first uint64 // sequence
	last  uint64 // sequence; 0 for an open segment
	size  int64  // in bytes, 0 if unknown
}

// open reports whether the segment is not sealed.
func (p segmentFile) open() bool { return p.last == 0 }

func openName(first uint64) string { return fmt.Sprintf("%016x%s", first, openSuffix) }

func sealedName(first, last uint64) string {
	return fmt.Sprintf("%016x-%016x%s", first, last, sealedSuffix)
}

// parseName returns the segment file with a name, without its size. ok is false if no segment has such a name.
func parseName(name string) (p segmentFile, ok bool) {
	p.name = name
	if hex, isOpen := strings.CutSuffix(name, openSuffix); isOpen {
		p.first, ok = parseHex(hex)
		return p, ok
	}
	hex, sealed := strings.CutSuffix(name, sealedSuffix)
	first, last, found := strings.Cut(hex, "-")
	if !sealed || !found {
		return p, false
	}
	p.first, ok = parseHex(first)
	p.last, found = parseHex(last)
	return p, ok && found && p.first <= p.last
}

// parseHex parses a sequence in a name. It returns false for any other text.
func parseHex(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 16, 64)
	return n, err == nil && n > 0 && len(s) == 16 && strings.ToLower(s) == s
}

// list returns the segment files of a directory in groups of equal first sequence, ascending. Within a group sealed files come first,
// the longest at the front. A missing directory has none.
func list(dir string) ([][]segmentFile, error) {
	entries, err := disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the archive: %w", err)
	}
	var all []segmentFile
	for _, e := range entries {
		p, ok := parseName(e.Name())
		if !ok {
			continue
		}
		if fi, err := e.Info(); err == nil {
			p.size = fi.Size()
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b segmentFile) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.last, a.last)) })
	var groups [][]segmentFile
	for _, p := range all {
		if n := len(groups); n > 0 && groups[n-1][0].first == p.first {
			groups[n-1] = append(groups[n-1], p)
		} else {
			groups = append(groups, []segmentFile{p})
		}
	}
	return groups, nil
}
