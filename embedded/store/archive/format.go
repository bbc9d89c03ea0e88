// Package archive keeps the second copy of a log: every stored message, in log order, in segment files that hashes bind together
// (ADR-0012 rule 8). [Writer] appends, [Read] returns the records and skips damage, and [Check] proves that nothing is missing,
// changed or reordered. A rebuild replaces a damaged archive.
//
// docs/FORMAT.md describes the files.
package archive

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"journal/events"
	"journal/journal/record"
)

// version is the version of the format of segments, that of the first release. A writer never changes segments of another version.
const version = 4

// checkVersion returns events.ErrUnreleased or events.ErrNewer for a version that this program does not read.
func checkVersion(v uint32) error {
	return events.CheckVersion("archive segment of version", int(v), version, version)
}

// The parts of a segment (docs/FORMAT.md). All numbers are little endian.
const (
	headerMagic = "jarchive"
	linkMagic   = "jarclink"
	sealMagic   = "jarcseal"

	headerSize = 8 + 4 + 8 + len(Chain{}) + 4     // magic, version, first, link before, crc32c
	frameHead  = 4 + 4                            // length, crc32c
	bodyHead   = 8 + 2 + 2                        // sequence, length of subject, length of id
	sealBody   = 8 + 4 + 8 + 8 + 8 + len(Chain{}) // magic, version, last, count, size, chain
	sealSize   = skipHead + sealBody + 32         // with the SHA-256 of everything before
	linkHead   = skipHead + 8 + 2*len(Chain{})    // magic, salt, link
	linkTail   = 4                                // the field with the length of the whole frame, by which the frame is found from its end
	skipHead   = 8                                // header of a skippable zstd frame: skipMagic and the length behind it
	skipMagic  = 0x184D2A5E                       // one of the numbers that RFC 8878 leaves to such frames
)

// maxBody bounds the body of a frame, in bytes, so that a corrupt length does not cost memory. The server accepts messages up to 1 MiB.
const maxBody = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the beginning of a segment.
type header struct {
	first  uint64 // sequence
	before Chain  // link of the previous segment
}

func (h header) append(b []byte) []byte {
	start := len(b)
	b = append(b, headerMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint64(b, h.first)
	b = append(b, h.before[:]...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// parseHeader parses the header at the start of b. ok is false if it is damaged. It returns only the errors of checkVersion. The header of
// every version has the same length, so that its checksum can be verified before its version is known.
func parseHeader(b []byte) (h header, ok bool, err error) {
	if len(b) < headerSize || string(b[:8]) != headerMagic ||
		binary.LittleEndian.Uint32(b[headerSize-4:]) != crc32.Checksum(b[:headerSize-4], castagnoli) {
		return h, false, nil
	}
	if err := checkVersion(binary.LittleEndian.Uint32(b[8:])); err != nil {
		return h, false, err
	}
	h.first = binary.LittleEndian.Uint64(b[12:])
	copy(h.before[:], b[20:])
	return h, true, nil
}

// appendFrame appends the frame of a record. The checksum covers the length too.
func appendFrame(b []byte, r record.Record) ([]byte, error) {
	n := bodyHead + len(r.Subject) + len(r.ID) + len(r.Data)
	if len(r.Subject) > math.MaxUint16 || len(r.ID) > math.MaxUint16 || n > maxBody {
		return b, fmt.Errorf("%w: #%d with %d bytes", ErrTooLarge, r.Seq, n)
	}
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, r.Seq)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.Subject)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.ID)))
	b = append(append(append(b, r.Subject...), r.ID...), r.Data...)
	binary.LittleEndian.PutUint32(b[start+4:], frameSum(b[start:]))
	return b, nil
}

// packedBit marks the length of a frame that holds compressed frames instead of a record.
const packedBit = 1 << 31

// appendPacked appends frames, compressed if that is shorter.
func appendPacked(b, frames []byte) []byte {
	start := len(b)
	b = append(b, make([]byte, frameHead)...)
	b = encoder().EncodeAll(frames, b)
	if len(b)-start >= len(frames) {
		return append(b[:start], frames...)
	}
	binary.LittleEndian.PutUint32(b[start:], packedBit|uint32(len(b)-start-frameHead))
	binary.LittleEndian.PutUint32(b[start+4:], frameSum(b[start:]))
	return b
}

// packedAt returns the decompressed frames of the packed frame at the start of b, and the length of the packed frame, 0 if there is no
// valid one.
func packedAt(b []byte) (frames []byte, length int) {
	if len(b) < frameHead {
		return nil, 0
	}
	head := binary.LittleEndian.Uint32(b)
	n := int64(head &^ packedBit)
	if head&packedBit == 0 || n == 0 || n > maxBody || n > int64(len(b)-frameHead) {
		return nil, 0
	}
	frame := b[:frameHead+n]
	if binary.LittleEndian.Uint32(frame[4:]) != frameSum(frame) {
		return nil, 0
	}
	frames, err := decoder().DecodeAll(frame[frameHead:], nil)
	if err != nil {
		return nil, 0
	}
	return frames, len(frame)
}

// unpack decompresses the packed frames of an open segment. It keeps bytes that belong to no frame, so that the caller finds the damage. It
// ends where the result would be longer than maxFile; the caller then sees no more records.
func unpack(b []byte) []byte {
	raw := append(make([]byte, 0, 2*len(b)), b[:min(headerSize, len(b))]...)
	for offset := len(raw); offset < len(b); {
		if body := frameAt(b[offset:]); body != nil {
			next := offset + frameHead + len(body)
			raw = append(raw, b[offset:next]...)
			offset = next
			continue
		}
		frames, n := packedAt(b[offset:])
		if len(raw)+len(frames) > maxFile {
			return raw
		}
		if n == 0 {
			frames, n = b[offset:offset+1], 1
		}
		raw = append(raw, frames...)
		offset += n
	}
	return raw
}

// frameSum returns the checksum of a frame: of its length and its body.
func frameSum(frame []byte) uint32 {
	return crc32.Update(crc32.Checksum(frame[:4], castagnoli), castagnoli, frame[frameHead:])
}

// frameAt returns the body of the frame at the start of b, nil if there is no valid one. It checks the lengths before the
// checksum, because a search for the next good frame tries every byte.
func frameAt(b []byte) []byte {
	if len(b) < frameHead+bodyHead {
		return nil
	}
	n := int64(binary.LittleEndian.Uint32(b))
	subject, id := int64(binary.LittleEndian.Uint16(b[frameHead+8:])), int64(binary.LittleEndian.Uint16(b[frameHead+10:])) // lengths
	if n > maxBody || n < bodyHead+subject+id || n > int64(len(b)-frameHead) {
		return nil
	}
	frame := b[:frameHead+n]
	if binary.LittleEndian.Uint32(frame[4:]) != frameSum(frame) {
		return nil
	}
	return frame[frameHead:]
}

// bodySeq returns the sequence in a frame's body.
func bodySeq(body []byte) uint64 { return binary.LittleEndian.Uint64(body) }

// bodySubject returns the subject in a frame's body.
func bodySubject(body []byte) []byte {
	return body[bodyHead : bodyHead+int(binary.LittleEndian.Uint16(body[8:]))]
}

// seal is the end of a sealed segment.
type seal struct {
	last, count uint64 // last sequence, number of records
	size        uint64 // of the content, decompressed
	chain       Chain  // after the last record
	link        Chain  // with which the next segment begins
	salt        Chain  // see linked; zero if the segment was written again without some records
}

// linked returns the seal with a new link, made from its chain and a random salt. Only this segment has the salt. When the segment is
// written again without some of its records, it keeps the link, so that the next segment stays valid, and loses the salt. Without the salt
// the link reveals nothing about the removed records.
func (s seal) linked() seal {
	rand.Read(s.salt[:])
	s.link = s.chain.after(s.salt[:])
	return s
}

// holds reports whether the seal matches the chain of the records. If the segment was written again, it accepts any link.
func (s seal) holds(c Chain) bool {
	return s.chain == c && (s.salt == Chain{} || s.link == c.after(s.salt[:]))
}

// append appends the end of a sealed file, without the digest of the file.
func (s seal) append(b []byte) []byte {
	n := linkHead + linkTail
	b = binary.LittleEndian.AppendUint32(b, skipMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(n-skipHead))
	b = append(b, linkMagic...)
	b = append(append(b, s.salt[:]...), s.link[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = binary.LittleEndian.AppendUint32(b, skipMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(sealSize-skipHead))
	b = append(b, sealMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint64(b, s.last)
	b = binary.LittleEndian.AppendUint64(b, s.count)
	b = binary.LittleEndian.AppendUint64(b, s.size)
	return append(b, s.chain[:]...)
}

// parseSeal parses the seal at the end of a file, and returns the content before it. Without a seal, found is nil, and content ends
// where one would begin, or has all of a shorter file. whole is false if the checksum of the file does not hold; found is nil then too. The
// error is one of checkVersion.
func parseSeal(file []byte) (content []byte, found *seal, whole bool, err error) {
	if len(file) < sealSize {
		return file, nil, false, nil
	}
	content = file[:len(file)-sealSize]
	b := file[len(content)+skipHead:]
	sum := sha256.Sum256(file[:len(file)-sha256.Size])
	if !bytes.HasSuffix(file, sum[:]) {
		return content, nil, false, nil
	}
	if !bytes.HasPrefix(b, []byte(sealMagic)) {
		return content, nil, true, nil
	}
	if err := checkVersion(binary.LittleEndian.Uint32(b[8:])); err != nil {
		return content, nil, true, err
	}
	number := func(offset int) uint64 { return binary.LittleEndian.Uint64(b[offset:]) } // as seal.append wrote it
	s := seal{last: number(12), count: number(20), size: number(28), chain: Chain(b[36 : 36+len(Chain{})])}
	n := int(binary.LittleEndian.Uint32(content[max(len(content), linkTail)-linkTail:]))
	if n < linkHead+linkTail || n > len(content) {
		return content, nil, true, nil
	}
	content, b = content[:len(content)-n], content[len(content)-n+skipHead+len(linkMagic):]
	s.salt, s.link = Chain(b[:len(s.salt)]), Chain(b[len(s.salt):len(s.salt)+len(s.link)])
	return content, &s, true, nil
}

// Chain is the rolling hash over the records of a segment: the SHA-256 of the previous chain and the body of the record's frame. It
// begins with the link of the previous segment, which is zero for the first. Links and salts have the same type.
type Chain [sha256.Size]byte

// after returns the chain after one more record.
func (c Chain) after(body []byte) (next Chain) {
	h := sha256.New()
	h.Write(c[:])
	h.Write(body)
	h.Sum(next[:0])
	return next
}
