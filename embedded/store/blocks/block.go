package blocks

import "journal/journal/disk"

// maxBlock bounds what is read of one file. The server's blocks have 8 MiB and one
// record more.
const maxBlock = 64 << 20

// inspection is what was found in one block.
type inspection struct {
	block   block
	content []byte
	records []frame
	gaps    []gap
	torn    int64  // bytes after the last good record that no record follows
	fault   string // why nothing of it could be read
	err     error  // the same, when that says nothing of the file
	unknown string
}

// gap is a stretch of a block that holds no good record.
type gap struct {
	at, length int
	before     int // index of the record that follows it
}

func (s Stream) scan(b block) inspection {
	r := inspection{block: b}
	if b.encrypted() {
		r.unknown = b.name + " is encrypted"
		return r
	}
	var err error
	if r.content, err = disk.ReadFile(b.path, maxBlock); err != nil {
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
	lost := -1 // where the stretch without a good record began
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

// whole says whether what is torn off at the end of a block is a record in full
// length whose checksum does not hold, rather than a part of one: such a record may
// have been acknowledged.
func (r inspection) whole() bool {
	if r.torn == 0 {
		return false
	}
	rest := r.content[len(r.content)-int(r.torn):]
	n := lengthOf(rest)
	return n > 0 && n <= len(rest) && plausible(rest)
}

// zero says whether what is torn off is nothing but zeros, as a power cut leaves
// them after the last write.
func (r inspection) zero() bool {
	for _, c := range r.content[len(r.content)-int(r.torn):] {
		if c != 0 {
			return false
		}
	}
	return true
}
