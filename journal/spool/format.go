package spool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// MaxBody is the largest body in bytes. It has room for a largest event of 512 KiB
// (ADR-0014) and the observations of files beside it (package notes). The bound keeps
// a hostile file out of the owner's memory.
const MaxBody = 1 << 20

// The encodings of a body.
const (
	Msgpack = "msgpack"
	JSON    = "json"
)

const (
	magic   = "journal-spool "
	version = 1

	// maxHeader is more than the longest header: 14 magic, 2 version, 8
	// encoding, 8 length, 64 digest, 1 newline.
	maxHeader = 128
	maxFile   = maxHeader + MaxBody
)

// encode returns the content of a spool file.
func encode(encoding string, body []byte) []byte {
	sum := sha256.Sum256(body)
	file := make([]byte, 0, maxHeader+len(body))
	file = fmt.Appendf(file, "%s%d %s %d %x\n", magic, version, encoding, len(body), sum)
	return append(file, body...)
}

// decode is the reverse of encode. It accepts only what encode writes, so that a
// mistake in an appender shows with its first file. The error is ErrBroken or
// ErrNewer. The body shares memory with file.
func decode(file []byte) (encoding string, body []byte, err error) {
	rest, ok := bytes.CutPrefix(file, []byte(magic))
	if !ok {
		return "", nil, broken("does not start with %q", magic)
	}
	// The version is checked first: in a later version all else may be different.
	v, err := headerVersion(rest)
	if err != nil {
		return "", nil, err
	}
	if v > version {
		return "", nil, fmt.Errorf("%w: %d, this program knows %d", ErrNewer, v, version)
	}
	end := bytes.IndexByte(file[:min(len(file), maxHeader)], '\n')
	if end < 0 {
		return "", nil, broken("header has no end")
	}
	words := strings.Split(string(file[:end]), " ")
	if len(words) != 5 {
		return "", nil, broken("header has %d words, not 5", len(words))
	}
	encoding, body = words[2], file[end+1:]
	if !validEncoding(encoding) {
		return "", nil, broken("encoding %q is neither %s nor %s", encoding, Msgpack, JSON)
	}
	length, ok := parseDecimal(words[3])
	switch {
	case !ok || length > MaxBody:
		return "", nil, broken("length %q is not a number up to %d", words[3], MaxBody)
	case len(body) < length:
		return "", nil, broken("torn: %d of %d body bytes", len(body), length)
	case len(body) > length:
		return "", nil, broken("bytes after the body of %d", length)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != words[4] {
		return "", nil, broken("body does not have the sha256 %q", words[4])
	}
	return encoding, body, nil
}

// headerVersion returns the version in a header whose magic was cut off. A space or a
// newline must follow the version: a "1" at the end of a torn file may be the start of
// "12".
func headerVersion(rest []byte) (int, error) {
	end := bytes.IndexAny(rest[:min(len(rest), maxHeader)], " \n")
	if end < 0 {
		return 0, broken("header has no version")
	}
	v, ok := parseDecimal(string(rest[:end]))
	if !ok || v < 1 {
		return 0, broken("version %q is not a number from 1", rest[:end])
	}
	return v, nil
}

// parseDecimal parses a number without sign and leading zeros. It has at most nine
// digits, which fit an int on every system.
func parseDecimal(s string) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && len(s) <= 9 && strconv.Itoa(n) == s && n >= 0
}

func validEncoding(encoding string) bool { return encoding == Msgpack || encoding == JSON }

// broken returns ErrBroken with a reason.
func broken(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrBroken}, args...)...)
}
