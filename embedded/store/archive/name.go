package archive

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"journal/journal/disk"
)

// The suffixes of names. A file with any other suffix is not a segment.
const (
	openSuffix   = ".open"
	sealedSuffix = ".zst"
	tmpSuffix    = ".tmp"
	asideSuffix  = ".damaged"
)

// segmentFile is a file that holds a segment. Several can begin with one sequence: a
// short sealed segment is opened again for more, and both stay until the longer
// one is sealed.
type segmentFile struct {
	name  string
	first uint64
	last  uint64 // by its name; 0 for an open segment
	size  int64
}

func (p segmentFile) open() bool { return p.last == 0 }

func openName(first uint64) string { return fmt.Sprintf("%016x%s", first, openSuffix) }

func sealedName(first, last uint64) string {
	return fmt.Sprintf("%016x-%016x%s", first, last, sealedSuffix)
}

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

func parseHex(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 16, 64)
	return n, err == nil && n > 0 && len(s) == 16 && strings.ToLower(s) == s
}

// list gives the segments of a directory by their first sequence, those of one
// first sequence together: sealed ones first, the longest of them in front. A
// missing directory has none.
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
