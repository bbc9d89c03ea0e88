package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"journal/journal/disk"
	"journal/journal/record"
)

// maxFile bounds the file of a segment and its decompressed content, in bytes. A Writer seals a segment when its content reaches a
// limit of at most maxFile/2, and the record that reaches the limit adds at most maxBody: so every segment of a Writer is below maxFile.
const maxFile = 64 << 20

// segment is the content of one file.
type segment struct {
	segmentFile
	header header
	headed bool     // header is valid, and of the sequence in the name
	bodies [][]byte // of the good frames, in order
	next   uint64   // sequence after that of the last good frame
	good   int      // of an open segment: length of the undamaged beginning of raw, 0 if the header is damaged
	raw    []byte   // decompressed content
	seal   seal
	sealed bool // seal is valid; a segment that is not open can have a damaged one
	damage []Damage
}

// load reads a file, and lists the damage of its segment. The error is fs.ErrNotExist, that of checkVersion or one of the machine.
func load(dir string, p segmentFile) (*segment, error) {
	s := &segment{segmentFile: p, next: p.first}
	b, err := disk.ReadFile(filepath.Join(dir, p.name), maxFile)
	if reason := unreadable(err); reason != "" {
		s.addDamage(p.first, max(p.first, p.last), reason)
		s.damage[0].Tail = p.open()
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read archive segment: %w", err)
	}
	if err := s.parse(b); err != nil {
		return nil, fmt.Errorf("archive segment %s: %w", p.name, err)
	}
	return s, nil
}

// unreadable returns the reason why a file counts as damaged as a whole, by the error of reading it. The reason is empty for other errors.
func unreadable(err error) string {
	switch {
	case errors.Is(err, disk.ErrTooLarge):
		return "file is longer than a segment can be"
	case errors.Is(err, syscall.EIO):
		return "the disk cannot read the file"
	}
	return ""
}

// parse parses the bytes of the file. It returns only the errors of checkVersion.
func (s *segment) parse(b []byte) error {
	if s.open() {
		return s.parseOpen(b)
	}
	return s.parseSealed(b)
}

func (s *segment) parseOpen(b []byte) (err error) {
	if s.header, s.headed, err = parseHeader(b); err != nil {
		return err
	}
	s.raw = unpack(b)
	if !s.headed || s.header.first != s.first {
		s.headed = false
		s.addDamage(s.first, s.first, "header is damaged")
		s.frames(s.raw, 0)
		return nil
	}
	s.good = headerSize
	s.frames(s.raw, headerSize)
	return nil
}

func (s *segment) parseSealed(b []byte) (err error) {
	content, found, whole, err := parseSeal(b)
	if err != nil {
		return err
	}
	if found != nil {
		s.seal = *found
	}
	raw, complete := expand(content, whole, s.seal.size)
	s.raw = raw
	begin := 0
	if s.header, s.headed, err = parseHeader(raw); err != nil {
		return err
	}
	if s.headed = s.headed && s.header.first == s.first; s.headed {
		begin = headerSize
	}
	s.bodies = make([][]byte, 0, min(s.seal.count, uint64(len(raw)/frameHead)))
	s.frames(raw, begin)
	if s.next <= s.last {
		s.addDamage(s.next, s.last, "records are missing at the end")
	}
	count := s.last - s.first + 1
	s.sealed = found != nil && found.last == s.last
	fits := s.sealed && s.seal.count == count && uint64(len(s.bodies)) == count && s.seal.size == uint64(len(raw))
	if undamaged := whole && complete && s.headed && fits; !undamaged && len(s.damage) == 0 {
		s.addDamage(s.first, s.last, "seal or header does not fit the content")
	}
	return nil
}

// frames parses the frames in b from an offset. After damage it continues with the next good frame of a later sequence.
func (s *segment) frames(b []byte, offset int) {
	sound := s.headed // everything before offset is undamaged
	for offset < len(b) {
		body := frameAt(b[offset:])
		if body == nil || !s.accepts(bodySeq(body)) {
			sound = false
			found := s.search(b, offset+1)
			if found < 0 {
				if s.open() {
					s.addDamage(s.next, s.next, fmt.Sprintf("%d bytes at the end are no record", len(b)-offset))
					s.damage[len(s.damage)-1].Tail = true
				}
				return
			}
			offset = found
			body = frameAt(b[offset:])
			if seq := bodySeq(body); seq == s.next {
				s.addDamage(seq, seq, "bytes before the record are no record")
			}
		}
		if seq := bodySeq(body); seq > s.next {
			sound = false
			s.addDamage(s.next, seq-1, "records are unreadable")
		}
		s.bodies = append(s.bodies, body)
		s.next = bodySeq(body) + 1
		offset += frameHead + len(body)
		if sound {
			s.good = offset
		}
	}
}

// accepts reports whether a sequence can come next in the segment.
func (s *segment) accepts(seq uint64) bool {
	if s.open() {
		return seq >= s.next && seq-s.first < maxFile // a segment has fewer frames than bytes, so a later sequence is not of this one
	}
	return seq >= s.next && seq <= s.last
}

// search returns the offset of the next good frame of this segment, -1 if there is none.
func (s *segment) search(b []byte, offset int) int {
	for ; offset+frameHead+bodyHead <= len(b); offset++ {
		if s.accepts(bodySeq(b[offset+frameHead:])) && frameAt(b[offset:]) != nil {
			return offset
		}
	}
	return -1
}

func (s *segment) addDamage(first, last uint64, reason string) {
	s.damage = append(s.damage, Damage{File: s.name, First: first, Last: last, Reason: reason})
}

// chain returns the rolling hash after the last record. It is valid only without damage.
func (s *segment) chain() Chain {
	c := s.header.before
	for _, body := range s.bodies {
		c = c.after(body)
	}
	return c
}

// recordOf returns the record in a frame's body. Consecutive equal subjects share memory.
func recordOf(body []byte, subject *string) record.Record {
	name := bodySubject(body)
	if string(name) != *subject {
		*subject = string(name)
	}
	idLen := int(binary.LittleEndian.Uint16(body[10:])) // see appendFrame
	rest := body[bodyHead+len(name):]
	return record.Record{Seq: bodySeq(body), Subject: *subject, ID: string(rest[:idLen]), Data: rest[idLen:len(rest):len(rest)]}
}
