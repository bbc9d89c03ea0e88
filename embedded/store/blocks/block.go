package blocks

import (
	"bytes"

	"journal/journal/disk"
)

// maxBlock bounds what is read of one file, in bytes. The server's blocks have 8 MiB plus
// one record.
const maxBlock = 64 << 20

// inspection is the result of scanning one block.
type inspection struct {
	block   block
	content []byte
	records []frame
	gaps    []gap
	torn    int64  // bytes after the last good record
	fault   string // why nothing of it could be read
	err     error  // the same, if the machine and not the file is the reason
	unknown string
}

// gap is a range of bytes without a good record.
type gap struct {
	at, length int
	before     int // index of the record that follows it
}

// scan reads a block. The memory of an earlier result is used again; the zero value has none.
func (s Stream) scan(b block, was inspection) inspection {
	r := inspection{block: b, records: was.records[:0]}
	if b.encrypted() {
		r.unknown = b.name + " is encrypted"
		return r
	}
	var err error
	if r.content, err = disk.ReadInto(was.content, b.path, maxBlock); err != nil {
		if r.fault = unreadable(err); passing(err) {
			r.err = err
		}
		return r
	}
	if compressed(r.content) {
		r.unknown = b.name + " is compressed"
		return r
	}
	h, err := s.sum(b)
	if err != nil {
		r.unknown = err.Error()
		return r
	}
	lost := -1 // where the current gap began
	for at := 0; at < len(r.content); {
		rest := r.content[at:]
		if lost >= 0 && (len(rest) < minimum || !plausible(rest)) {
			at++
			continue
		}
		one, ok := recordAt(rest, h)
		if !ok {
			if lost < 0 {
				lost = at
			}
			at++
			continue
		}
		if lost >= 0 {
			r.gaps = append(r.gaps, gap{lost, at - lost, len(r.records)})
			lost = -1
		}
		one.at = at
		r.records = append(r.records, one)
		at += one.length
	}
	if lost >= 0 {
		r.torn = int64(len(r.content) - lost)
	}
	return r
}

// whole reports whether the torn end of a block is a record of full length with a wrong
// checksum, and not a part of one. Such a record may have been acknowledged.
func (r inspection) whole() bool {
	if r.torn == 0 {
		return false
	}
	rest := r.content[len(r.content)-int(r.torn):]
	n := lengthOf(rest)
	return n > 0 && n <= len(rest) && plausible(rest)
}

// zero reports whether the torn end consists of zeros, which a power cut leaves after the
// last write.
func (r inspection) zero() bool {
	return len(bytes.TrimLeft(r.content[len(r.content)-int(r.torn):], "\x00")) == 0
}
