package blocks

import (
	"encoding/binary"
	"time"
)

// The marks of a sequence, for Record.
const (
	Erased  = erasedBit
	Deleted = deletedBit
)

// Record returns a record of a block as the server writes it. length is the stored length of its headers.
func Record(s Stream, index int, seq uint64, subject, headers, data string, length int) []byte {
	b := make([]byte, 4)
	b = binary.LittleEndian.AppendUint64(b, seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(subject)))
	b = append(b, subject...)
	n := uint32(headSize + len(subject) + len(headers) + len(data) + sumSize)
	if headers != "" {
		b = binary.LittleEndian.AppendUint32(b, uint32(length))
		n = withHeaders | n + 4
	}
	binary.LittleEndian.PutUint32(b, n)
	content := headers + data
	b = append(b, content...)
	h := s.recordHash(block{index: index})
	h.Write(b[4:20])
	h.Write([]byte(subject))
	h.Write([]byte(content))
	return h.Sum(b)
}

// IndexKind is the kind of an index file.
const IndexKind = indexKind
