package blocks

import (
	"bytes"

	"journal/journal/disk"
)

// maxBlock is the size of the largest file that is read, in bytes. The server's blocks have 8 MiB plus one record.
const maxBlock = 64 << 20

// inspection is the result of scanning one block.
type inspection struct {
	block   block
	content []byte
	records []frame
	gaps    []gap
	torn    int64  // bytes after the last good record
	fault   string // why the block could not be read
	err     error  // the same, if the machine and not the file is the cause
	unknown string
}

// gap is a range of bytes without a good record.
type gap struct {
	at, length int
	before     int // index of the record that follows it
}

// scan reads a block. It reuses the memory of an earlier result, which may be the zero value.
func (s Stream) scan(b block, earlier inspection) inspection {
	r := inspection{block: b, records: earlier.records[:0]}
	if b.encrypted() {
		r.unknown = b.name + " is encrypted"
		return r
	}
	var err error
	if r.content, err = disk.ReadInto(earlier.content, b.path, maxBlock); err != nil {
		r.fault = unreadable(err)
		if transient(err) {
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
	lost := -1 // offset of the current gap
	for offset := 0; offset < len(r.content); {
		rest := r.content[offset:]
		if lost >= 0 && (len(rest) < minimum || !plausible(rest)) {
			offset++
			continue
		}
		rec, ok := recordAt(rest, h)
		if !ok {
			if lost < 0 {
				lost = offset
			}
			offset++
			continue
		}
		if lost >= 0 {
			r.gaps = append(r.gaps, gap{lost, offset - lost, len(r.records)})
			lost = -1
		}
		rec.at = offset
		r.records = append(r.records, rec)
		offset += rec.length
	}
	if lost >= 0 {
		r.torn = int64(len(r.content) - lost)
	}
	return r
}

// whole reports whether the torn end of a block is a record of full length with a wrong checksum, and not a part of one. Such a
// record may have been acknowledged.
func (r inspection) whole() bool {
	if r.torn == 0 {
		return false
	}
	rest := r.content[len(r.content)-int(r.torn):]
	n := lengthOf(rest)
	return n > 0 && n <= len(rest) && plausible(rest)
}

// zero reports whether the torn end consists of zeros, which a power cut leaves after the last write.
func (r inspection) zero() bool {
	return len(bytes.TrimLeft(r.content[len(r.content)-int(r.torn):], "\x00")) == 0
}
