package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"journal/journal/disk"
)

// Segments are the sealed segments of an archive that are copied into another one.
type Segments struct {
	// Spares, if set, must allow every subject in a segment that is copied.
	Spares func(subject string) bool
	dir    string
	left   [][]segmentFile
}

// SegmentsIn lists those in a directory.
func SegmentsIn(dir string) (*Segments, error) {
	groups, err := list(dir)
	return &Segments{dir: dir, left: groups}, err
}

// Take appends the sealed segment that begins where the archive ends, without compressing it again; only its chain changes.
// Earlier records are sealed first. taken is false if there is no such segment, if it is damaged, or if fits returns false for
// its sequences.
func (w *Writer) Take(from *Segments, fits func(first, last uint64) bool) (taken bool, err error) {
	for len(from.left) > 0 && from.left[0][0].first <= w.last {
		from.left = from.left[1:]
	}
	if w.err != nil || len(from.left) == 0 {
		return false, w.err
	}
	p := from.left[0][0]
	if p.open() || p.first != w.last+1 || !fits(p.first, p.last) {
		return false, nil
	}
	b, err := disk.ReadFile(filepath.Join(from.dir, p.name), maxFile)
	if err != nil {
		return false, fmt.Errorf("take an archive segment: %w", err)
	}
	s, err := parse(p, b)
	if err != nil || len(s.damage) > 0 || !from.spare(s) {
		return false, err
	}
	return true, w.fail(w.take(s, b[:len(b)-sealSize]))
}

// Until returns the last sequence before the next segment that begins after seq.
func (from *Segments) Until(seq uint64) uint64 {
	for _, group := range from.left {
		if group[0].first > seq {
			return group[0].first - 1
		}
	}
	return math.MaxUint64
}

// spare reports whether Spares allows every subject in a segment.
func (from *Segments) spare(s *segment) bool {
	return from.Spares == nil || !slices.ContainsFunc(s.bodies, func(body []byte) bool {
		return !from.Spares(string(body[bodyHead : bodyHead+int(binary.LittleEndian.Uint16(body[8:]))]))
	})
}

// take appends an undamaged segment with its compressed content.
func (w *Writer) take(s *segment, content []byte) (err error) {
	if w.file != nil || w.raw != nil {
		if err := w.seal(); err != nil {
			return err
		}
	}
	if s.header.before != w.chain {
		s.header.before = w.chain
		if content, err = headed(content, s.header); err != nil {
			return err
		}
		s.seal.chain = s.chain()
	}
	if err := writeSealed(w.dir, s.first, content, s.seal); err != nil {
		return err
	}
	w.last, w.chain, w.reopen = s.last, s.seal.chain, nil
	if int64(len(s.raw)) < w.limit/2 {
		w.reopen = &s.segmentFile
	}
	return nil
}

// headed replaces the header, which is in the first chunk of compressed content.
func headed(content []byte, h header) ([]byte, error) {
	enc, err := encoder()
	if err != nil {
		return nil, err
	}
	dec, err := decoder()
	if err != nil {
		return nil, err
	}
	for end := len(zstdMagic); ; end += len(zstdMagic) {
		if i := bytes.Index(content[min(end, len(content)):], zstdMagic); i >= 0 {
			end += i
		} else {
			end = len(content)
		}
		raw, err := dec.DecodeAll(content[:end], nil)
		if err == nil { // otherwise the magic is there by chance
			alone := enc.EncodeAll(h.append(nil), nil)
			if len(raw) > headerSize { // earlier versions wrote frames behind it
				alone = enc.EncodeAll(raw[headerSize:], alone)
			}
			return append(alone, content[end:]...), nil
		}
		if end == len(content) {
			return nil, err
		}
	}
}
