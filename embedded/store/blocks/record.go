package blocks

import (
	"bytes"
	"encoding/binary"
	"hash"
	"time"

	"journal/journal/record"
)

// A record consists of its length (4 bytes, with a bit for headers), sequence (8), time (8), the length of the subject (2), the
// subject, if it has headers their length (4) and the headers, the message, and the checksum (8). Numbers are little endian.
const (
	headSize = 4 + 8 + 8 + 2
	sumSize  = 8
	minimum  = headSize + sumSize
	maximum  = 32 << 20 // length above which the server takes a record for damaged

	withHeaders = 1 << 31
	erasedBit   = 1 << 63 // in the sequence: the message was overwritten
	deletedBit  = 1 << 62 // in the sequence: the record only shows that the message was deleted
)

// recordInfo describes a record of a block. The record has a good checksum.
type recordInfo struct {
	offset, length int // in the block
	seq            uint64
	erased         bool // see erasedBit
	deleted        bool // see deletedBit
	// misfit is true if the length of the headers, which the checksum does not cover, is wrong. The server would then split headers and
	// message in the wrong place.
	misfit bool
}

// lengthOf returns the length in the head of a record, 0 if it is impossible.
func lengthOf(b []byte) int {
	if len(b) < minimum {
		return 0
	}
	n := int(binary.LittleEndian.Uint32(b) &^ withHeaders)
	if n < minimum || n > maximum {
		return 0
	}
	return n
}

// sequence returns the sequence in the head of a record, without erasedBit and deletedBit.
func sequence(b []byte) uint64 {
	return binary.LittleEndian.Uint64(b[4:]) &^ (erasedBit | deletedBit)
}

// Bounds of the times of plausible records. With them the search for the next record hashes fewer bytes that cannot be a record.
var (
	oldest = time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	newest = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
)

const highest = 1 << 48 // bound of plausible sequences

// plausible reports whether the head of a record has a possible sequence and time.
func plausible(b []byte) bool {
	seq, t := sequence(b), int64(binary.LittleEndian.Uint64(b[12:]))
	return seq > 0 && seq < highest && t > oldest && t < newest
}

// recordAt returns the record at the start of b, with offset 0. ok is false if there is none with a good checksum.
func recordAt(b []byte, h hash.Hash) (r recordInfo, ok bool) {
	n := lengthOf(b)
	if n == 0 || n > len(b) {
		return r, false
	}
	b = b[:n]
	subjectLen := int(binary.LittleEndian.Uint16(b[20:]))
	content := headSize + subjectLen
	headers := binary.LittleEndian.Uint32(b)&withHeaders != 0
	if headers {
		content += 4
	}
	if content > n-sumSize {
		return r, false
	}
	var sum [sumSize]byte
	if !bytes.Equal(appendChecksum(sum[:0], b[:n-sumSize], content, subjectLen, h), b[n-sumSize:]) {
		return r, false
	}
	raw := binary.LittleEndian.Uint64(b[4:])
	r = recordInfo{length: n, seq: sequence(b), erased: raw&erasedBit != 0, deleted: raw&deletedBit != 0}
	if headers {
		r.misfit = headerLength(b[content:n-sumSize]) != int(binary.LittleEndian.Uint32(b[content-4:]))
	}
	return r, true
}

// appendChecksum appends the checksum of a record to buf. content is the offset of its headers, or of its message if it has none.
func appendChecksum(buf, raw []byte, content, subjectLen int, h hash.Hash) []byte {
	h.Reset()
	h.Write(raw[4:20]) // sequence and time
	h.Write(raw[headSize : headSize+subjectLen])
	h.Write(raw[content:])
	return h.Sum(buf)
}

// headerLength returns the length of the headers at the start of b, which end at the first empty line, -1 if there is none.
func headerLength(b []byte) int {
	i := bytes.Index(b, []byte("\r\n\r\n"))
	if i < 0 {
		return -1
	}
	return i + 4
}

// record returns the message in a good record. Its Data is a part of content.
func (r recordInfo) record(content []byte) record.Record {
	subject, header, data := r.parts(content[r.offset : r.offset+r.length])
	return record.Record{Seq: r.seq, Subject: string(subject), ID: record.MessageID(header), Data: data}
}

// parts splits a good record.
func (r recordInfo) parts(b []byte) (subject, header, data []byte) {
	n := int(binary.LittleEndian.Uint16(b[20:]))
	subject, data = b[headSize:headSize+n], b[headSize+n:r.length-sumSize]
	if binary.LittleEndian.Uint32(b)&withHeaders != 0 {
		end := 4 + int(binary.LittleEndian.Uint32(data))
		if r.misfit {
			end = 4 + max(headerLength(data[4:]), 0)
		}
		header, data = data[4:end], data[end:]
	}
	return subject, header, data
}
