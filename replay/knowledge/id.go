package knowledge

import (
	"strconv"
	"strings"
)

// ID names an item as long as it stays what it is. Two IDs are of the same item
// if they are equal, however they were spelled.
type ID struct {
	Kind Kind   // as a report counts it: an earlier request is a prompt
	Seq  uint64 // the event that the item came from
	Part int    // of several items that came from one event, from 1; 0 for a single one
}

// String spells the ID as audits do: kind-seq, or kind-seq.part.
func (id ID) String() string { return spelled(string(id.Kind), id.Seq, id.Part) }

func spelled(prefix string, seq uint64, part int) string {
	id := prefix + "-" + strconv.FormatUint(seq, 10)
	if part > 0 {
		id += "." + strconv.Itoa(part)
	}
	return id
}

// ParseID reads an ID as recovery texts and audits spell it. ok is false for a text that is no
// ID. The ID of an undeclared kind is kept as it is.
func ParseID(s string) (id ID, ok bool) {
	dash := strings.LastIndexByte(s, '-')
	if dash < 0 {
		return ID{}, false
	}
	seq, part, parted := strings.Cut(s[dash+1:], ".")
	id.Kind = Kind(s[:dash])
	for _, d := range declared {
		if d.prefix() == s[:dash] {
			id.Kind = d.as()
		}
	}
	var err error
	if id.Seq, err = strconv.ParseUint(seq, 10, 64); err != nil {
		return ID{}, false
	}
	if parted {
		id.Part, err = strconv.Atoi(part)
	}
	return id, err == nil
}
