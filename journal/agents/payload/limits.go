package payload

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"journal/events/text"
)

const (
	// margin is held on each side of a coming cut, so that a secret on its edge
	// is seen whole by the redaction (ADR-0016 rule 4). A 4096 bit private key in
	// PEM form is 3.2 KB.
	margin = 4 << 10

	// maxName bounds the name of a member. Names are mostly identifiers, but a
	// file path (PATH_MAX is 4096 on Linux) or a question can be one.
	maxName = 4 << 10

	// maxNumber bounds the text of a number; nothing that is measured is longer.
	maxNumber = 1 << 10

	// maxSpare is the largest top level field that may use the reserve. All ids,
	// paths and modes of docs/CLIENTS.md §2 are smaller.
	maxSpare = 1 << 10

	// maxPath bounds the paths that Whole and Drop are asked about, because each
	// question allocates one.
	maxPath = 256

	// maxDepth bounds Limits.Depth: reading recurses, and encoding/json, which
	// others use to read what we write, gives up there as well.
	maxDepth = 10_000
)

// Limits bounds what Read keeps. The zero value of each field means its default.
// The sizes of strings are those of ADR-0014.
type Limits struct {
	// String is the longest string kept whole, in bytes of decoded UTF-8. It is
	// raised where Head, Tail and the mark would be longer. Default 16 KiB.
	String int

	// Head and Tail are the bytes kept of the two ends of a longer string.
	// Defaults: a half and a quarter of String (8 KiB and 4 KiB).
	Head, Tail int

	// Whole tells the paths whose strings are kept whole up to WholeLimit. It is
	// asked only about strings longer than String. Nil means none.
	Whole func(path string) bool

	// WholeLimit is the longest string kept whole where Whole says so, in bytes,
	// and at least String. Default 256 KiB.
	WholeLimit int

	// Drop tells the members that are skipped without being kept, such as
	// "user_email", with all that is in them. It is asked about each member that
	// would be kept; Cut does not report what it removed. Paths longer than
	// 256 bytes are not asked about, by neither Drop nor Whole. Nil means none.
	Drop func(path string) bool

	// Taps get the text of the strings at their paths, in pieces as it is decoded and
	// all of it, whatever is kept. It stands before the redaction. What comes before a
	// break in the input has been given; errors of Write are of no interest. A string
	// in what is left out has no path and is not given. Nil means none.
	Taps map[string]io.Writer

	// Total bounds the bytes of all strings, names and numbers kept after the
	// final cut. A string that does not fit becomes a mark, and anything else is
	// left out. One eighth is reserved for short top level fields, so that the
	// session is known whatever comes before it. Default 512 KiB.
	Total int

	// Depth is the number of objects and arrays that may be open at once; deeper
	// ones become null, and of their syntax only strings and brackets are
	// followed. At most 10,000. Default 64.
	Depth int

	// Items bounds the members and elements kept in all, with the same reserve
	// of one eighth. Default 10,000.
	Items int
}

// Paths tells the paths that are listed, and all below those that end with a dot. It is for
// Whole and Drop.
func Paths(listed ...string) func(path string) bool {
	var below []string
	for _, one := range listed {
		if strings.HasSuffix(one, ".") {
			below = append(below, one)
		}
	}
	return func(path string) bool {
		return slices.Contains(listed, path) ||
			slices.ContainsFunc(below, func(one string) bool { return strings.HasPrefix(path, one) })
	}
}

// withDefaults returns l with every field filled and the sizes made consistent.
func (l Limits) withDefaults() Limits {
	l.String = cmp.Or(max(l.String, 0), 16<<10)
	l.Head = cmp.Or(max(l.Head, 0), l.String/2)
	l.Tail = cmp.Or(max(l.Tail, 0), l.String/4)
	l.String = max(l.String, l.Head+l.Tail+text.MaxMark)
	l.WholeLimit = max(cmp.Or(max(l.WholeLimit, 0), 256<<10), l.String)
	l.Total = cmp.Or(max(l.Total, 0), 512<<10)
	l.Depth = min(cmp.Or(max(l.Depth, 0), 64), maxDepth)
	l.Items = cmp.Or(max(l.Items, 0), 10_000)
	return l
}
