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
	maximum  = 32 << 20 // the longest record that the server accepts

	withHeaders = 1 << 31
	erasedBit   = 1 << 63 // in the sequence: the message was overwritten
	deletedBit  = 1 << 62 // in the sequence: no message, but the mark that it was deleted
)

// frame is a record of a block with a good checksum.
type frame struct {
	at, length int
	seq        uint64
	erased     bool
	deleted    bool
	// misfit is true if a length that the checksum does not cover is wrong: the server would split the message in another place.
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

// sequence returns the sequence in the head of a record, without the marks.
func sequence(b []byte) uint64 {
	return binary.LittleEndian.Uint64(b[4:]) &^ (erasedBit | deletedBit)
}

// Bounds of plausible times. They save a search for the next record from hashing bytes that cannot be one.
var (
	oldest = time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	newest = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
)

const highest = 1 << 48 // sequence

func plausible(b []byte) bool {
	seq, t := sequence(b), int64(binary.LittleEndian.Uint64(b[12:]))
	return seq > 0 && seq < highest && t > oldest && t < newest
}

// recordAt reads the record at the start of b. ok is false if there is none with a good checksum.
func recordAt(b []byte, h hash.Hash) (r frame, ok bool) {
	n := lengthOf(b)
	if n == 0 || n > len(b) {
		return r, false
	}
	b = b[:n]
	subject := int(binary.LittleEndian.Uint16(b[20:]))
	rest := headSize + subject
	headers := binary.LittleEndian.Uint32(b)&withHeaders != 0
	if headers {
		rest += 4
	}
	if rest > n-sumSize {
		return r, false
	}
	var sum [sumSize]byte
	if !bytes.Equal(checksum(sum[:0], b[:n-sumSize], rest, subject, h), b[n-sumSize:]) {
		return r, false
	}
	raw := binary.LittleEndian.Uint64(b[4:])
	r = frame{length: n, seq: sequence(b), erased: raw&erasedBit != 0, deleted: raw&deletedBit != 0}
	if headers {
		r.misfit = headerLength(b[rest:n-sumSize]) != int(binary.LittleEndian.Uint32(b[rest-4:]))
	}
	return r, true
}

// checksum appends the checksum of record r to b. The content of r begins at rest.
func checksum(b, r []byte, rest, subject int, h hash.Hash) []byte {
	h.Reset()
	h.Write(r[4:20])
	h.Write(r[headSize : headSize+subject])
	h.Write(r[rest:])
	return h.Sum(b)
}

// headerLength returns the length of the headers at the start of b, by their text: they end at the first empty line. It
// returns -1 if there is no end.
func headerLength(b []byte) int {
	i := bytes.Index(b, []byte("\r\n\r\n"))
	if i < 0 {
		return -1
	}
	return i + 4
}

// record returns the message in a good record. Its Data is a part of content.
func (r frame) record(content []byte) record.Record {
	subject, header, data := r.parts(content[r.at : r.at+r.length])
	return record.Record{Seq: r.seq, Subject: string(subject), ID: record.MessageID(header), Data: data}
}

// parts splits a good record.
func (r frame) parts(b []byte) (subject, header, data []byte) {
	n := int(binary.LittleEndian.Uint16(b[20:]))
	subject, data = b[headSize:headSize+n], b[headSize+n:r.length-sumSize]
	if binary.LittleEndian.Uint32(b)&withHeaders != 0 {
		n := int(binary.LittleEndian.Uint32(data))
		if r.misfit {
			n = max(headerLength(data[4:]), 0)
		}
		header, data = data[4:4+n], data[4+n:]
	}
	return subject, header, data
}
