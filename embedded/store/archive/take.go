package archive

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// Segments holds the segments of an archive that another one may reuse.
type Segments struct {
	dir  string
	left [][]segmentFile // in groups of equal first sequence, without those that Take has passed
}

// SegmentsIn returns the segments in a directory.
func SegmentsIn(dir string) (*Segments, error) {
	groups, err := list(dir)
	return &Segments{dir: dir, left: groups}, err
}

// Take appends the sealed segment of from that begins at the archive's end, by reusing the segment's file. It first seals earlier records.
// taken is false if there is no such segment, if the segment is damaged or not linked to the archive's last one, or if fits returns false
// for its sequences. The caller then appends records instead. When they reach the end of that segment, they are sealed with its link, so
// that the segment behind it can still be taken.
func (w *Writer) Take(from *Segments, fits func(first, last uint64) bool) (taken bool, err error) {
	for len(from.left) > 0 && from.left[0][0].first <= w.last {
		from.left = from.left[1:]
	}
	if w.err != nil || len(from.left) == 0 {
		return false, w.err
	}
	p := from.left[0][0]
	if p.open() || p.first != w.last+1 {
		return false, nil
	}
	path := filepath.Join(from.dir, p.name)
	file, err := disk.ReadFile(path, maxFile)
	if unreadable(err) != "" {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("take an archive segment: %w", err)
	}
	content, s, _, err := parseSeal(file)
	if err != nil || s == nil || s.last != p.last { // of another version, or damaged
		return false, err
	}
	if !fits(p.first, p.last) {
		w.refused = *s
		return false, nil
	}
	if w.file != nil || w.raw != nil {
		if err := w.seal(); err != nil {
			return false, w.fail(err)
		}
	}
	if headerOf(content) != (header{p.first, w.chain}) {
		w.refused = *s
		return false, nil
	}
	if err := w.share(path, file); err != nil {
		return false, w.fail(err)
	}
	w.last, w.chain, w.reopen = p.last, s.link, nil
	if int64(s.size) < w.limit/2 {
		w.reopen = &p
	}
	return true, nil
}

// share adds the file of a segment by a hard link, because a sealed file never changes. If links are impossible, it writes the content of the
// file.
func (w *Writer) share(path string, content []byte) error {
	to := filepath.Join(w.dir, filepath.Base(path))
	if err := os.Link(path, to); err == nil {
		w.linked = true
		return nil
	}
	return disk.ReplaceDurable(to, content)
}

// headerOf returns the header in compressed content, where it is a chunk of its own. It returns the zero header if the chunk is damaged.
func headerOf(content []byte) header {
	end := len(content)
	if i := bytes.Index(content[min(len(zstdMagic), end):], zstdMagic); i >= 0 {
		end = len(zstdMagic) + i
	}
	raw, _ := expand(content[:end], true, uint64(headerSize))
	h, _, _ := parseHeader(raw)
	return h
}

// Until returns the last sequence before the next segment that begins after seq, the greatest number if there is none.
func (s *Segments) Until(seq uint64) uint64 {
	for _, group := range s.left {
		if group[0].first > seq {
			return group[0].first - 1
		}
	}
	return math.MaxUint64
}
