package spool

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// The parts of a file's name, and their lengths in bytes.
const (
	suffix    = ".ev"
	tmpPrefix = ".tmp-"
	zeroBoot  = "00000000"

	bootLen  = 8
	nanosLen = 16
	maxID    = 64
)

// Entry is one file of the queue, parsed from its name.
type Entry struct {
	// Name is the file's name in the spool directory.
	Name string
	// ID is the event id. If Name is malformed, ID and Boot are empty, and
	// [Dir.Read] returns ErrBroken.
	ID string
	// Boot is the start of the machine from which Nanos counts: 8 hex digits,
	// all zero if the writer did not know it.
	Boot string
	// Nanos is the time since that start in nanoseconds. It is comparable only
	// between entries of one boot.
	Nanos uint64
}

// Name returns a file name for an event id, with the time of the call. Of two calls
// in one process the later one has the later time. An id that is not 1 to 64 of a-z,
// 0-9 and "-" is an error. Name is safe for concurrent use.
func Name(id string) (string, error) {
	if !validID(id) {
		return "", fmt.Errorf("event id %q is not 1 to %d of a-z, 0-9 and -", id, maxID)
	}
	return fmt.Sprintf("%s-%016x-%s%s", bootID(), stamps.next(sinceBoot()), id, suffix), nil
}

// ParseName is the reverse of [Name]. It accepts only names that doc.go describes,
// not those of temporary files.
func ParseName(name string) (Entry, error) {
	const idAt = bootLen + 1 + nanosLen + 1
	stem, ok := strings.CutSuffix(name, suffix)
	if !ok || len(stem) <= idAt || stem[bootLen] != '-' || stem[idAt-1] != '-' {
		return Entry{}, fmt.Errorf("spool file name %q is not boot-nanos-id%s", name, suffix)
	}
	boot, nanos, id := stem[:bootLen], stem[bootLen+1:idAt-1], stem[idAt:]
	if !isHex(boot) || !isHex(nanos) || !validID(id) {
		return Entry{}, fmt.Errorf("spool file name %q: boot and nanos must be lower case hex digits, id 1 to %d of a-z, 0-9 and -", name, maxID)
	}
	n, _ := strconv.ParseUint(nanos, 16, 64) // no error: 16 hex digits
	return Entry{Name: name, ID: id, Boot: boot, Nanos: n}, nil
}

// queued reports whether a file with this name is in the queue. It accepts more
// names than [ParseName], because a file with a wrong name must be read and set
// aside with a reason: else nobody would notice it.
func queued(name string) bool {
	return strings.HasSuffix(name, suffix) && name[0] != '.'
}

// stamps makes the times in the names of this process's files distinct.
var stamps counter

// counter makes readings of a clock strictly increasing: on Windows the clock has
// steps of 16 ms.
type counter struct {
	last atomic.Uint64
}

// next returns now or, if that is not greater than the last result, the next number.
func (c *counter) next(now uint64) uint64 {
	for {
		last := c.last.Load()
		next := max(now, last+1)
		if c.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

func validID(id string) bool {
	return id != "" && len(id) <= maxID && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// bootOf returns the first eight digits of a kernel's id of a boot, or the zero boot if the id
// does not begin with eight hex digits.
func bootOf(id string) string {
	if len(id) < bootLen || !isHex(strings.ToLower(id[:bootLen])) {
		return zeroBoot
	}
	return strings.ToLower(id[:bootLen])
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
