package blocks

import (
	"errors"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"journal/journal/record"
)

// table is the saved part of an index. It stays in the file, because an owner reads a few thousand messages of millions. The subjects are
// sorted by their ends, then by their beginnings, so that the subjects of one type in all sessions of a project are neighbours.
type table struct {
	file     *PagedFile // nil if the table is empty
	offsets  numbers    // of each message in its block
	messages numbers    // numbers of messages; ascending for each subject
	starts   numbers    // index in messages of each subject's first one, and the end of the last subject's
	ends     numbers    // offset of the end of each subject in the text
	text     int64      // offset of the text of all subjects
	groups   []endGroup // the subjects, grouped by their ends
}

// endGroup is a group of subjects with an equal end: those from the To of the previous group up to, but not including, To.
type endGroup struct {
	End string
	To  int
}

// numbers is a list in a file, four bytes each.
type numbers struct {
	in   *PagedFile
	from int64 // offset of the first
	n    int   // how many there are
}

// at returns the i-th number, 0 if the file is damaged.
func (n numbers) at(i int) uint32 { return n.in.Uint32(n.from + 4*int64(i)) }

// errInconsistent is the reason for which a table's file is unusable.
var errInconsistent = errors.New("the index is inconsistent")

// part returns the numbers from one index up to, but not including, another.
func (n numbers) part(from, to uint32) numbers {
	if from > to || int(to) > n.n {
		n.in.Fail(errInconsistent)
		return numbers{}
	}
	return numbers{n.in, n.from + 4*int64(from), int(to - from)}
}

// span returns the part of ascending numbers that are at least from and at most to.
func (n numbers) span(from, to uint32) numbers {
	begin := sort.Search(n.n, func(i int) bool { return n.at(i) >= from })
	end := begin + sort.Search(n.n-begin, func(i int) bool { return n.at(begin+i) > to })
	return n.part(uint32(begin), uint32(end))
}

// copyTo writes the numbers.
func (n numbers) copyTo(w io.Writer) error {
	if n.n == 0 {
		return nil
	}
	_, err := io.Copy(w, io.NewSectionReader(n.in, n.from, 4*int64(n.n)))
	return err
}

// splitSubject splits a subject: its first three tokens, in a log the root, the project and the session, and the rest, empty for a
// shorter subject.
func splitSubject(subject string) (beginning, end string) {
	i := 0
	for range 3 {
		n := strings.IndexByte(subject[i:], '.')
		if n < 0 {
			return subject, ""
		}
		i += n + 1
	}
	return subject[:i], subject[i:]
}

// byEnd orders the subjects of a table.
func byEnd(a, b string) int {
	aBegin, aEnd := splitSubject(a)
	bBegin, bEnd := splitSubject(b)
	if c := strings.Compare(aEnd, bEnd); c != 0 {
		return c
	}
	return strings.Compare(aBegin, bBegin)
}

// maxSubject bounds a subject: a record has two bytes for its length.
const maxSubject = 1<<16 - 1

// subject returns the i-th subject, empty if the file is damaged.
func (t *table) subject(i int) string {
	from, to := int64(0), int64(t.ends.at(i))
	if i > 0 {
		from = int64(t.ends.at(i - 1))
	}
	if from > to || to-from > maxSubject {
		t.file.Fail(errInconsistent)
		return ""
	}
	b := make([]byte, to-from)
	if _, err := t.file.ReadAt(b, t.text+from); err != nil {
		t.file.Fail(err)
	}
	return string(b)
}

// messagesOf returns the messages of the subjects from one index up to, but not including, another.
func (t *table) messagesOf(from, to int) numbers {
	return t.messages.part(t.starts.at(from), t.starts.at(to))
}

// subjectRange is a range of subjects, without the subject at to.
type subjectRange struct{ from, to int }

// matching returns the subjects that match a filter.
func (t *table) matching(f record.Filter) (all []subjectRange) {
	beginning, _ := splitSubject(f.Prefix)
	first := 0
	for _, g := range t.groups {
		from, to := first, g.To
		first = to
		if !f.MayEnd(g.End) {
			continue
		}
		from += sort.Search(to-from, func(i int) bool {
			b, _ := splitSubject(t.subject(from + i))
			return b >= beginning
		})
		for i := from; i < to; i++ {
			subject := t.subject(i)
			if !strings.HasPrefix(subject, beginning) {
				break
			}
			if !f.Matches(subject) {
				continue
			}
			if n := len(all); n > 0 && all[n-1].to == i {
				all[n-1].to++
			} else {
				all = append(all, subjectRange{i, i + 1})
			}
		}
	}
	return all
}

// appendMessages appends the messages of some subjects that are in a span, including from and to.
func (t *table) appendMessages(found []uint32, subjects subjectRange, from, to uint32) []uint32 {
	step := 1
	if from == 0 && int(to) >= t.offsets.n-1 {
		step = subjects.to - subjects.from // all of their messages are wanted, and stand in one part
	}
	for i := subjects.from; i < subjects.to; i += step {
		messages := t.messagesOf(i, i+step)
		if step == 1 {
			messages = messages.span(from, to)
		}
		for k := range messages.n {
			n := messages.at(k)
			if n < from || n > to {
				t.file.Fail(errInconsistent)
				return found
			}
			found = append(found, n)
		}
	}
	return found
}

// subjectMessages holds the messages of a subject.
type subjectMessages struct {
	saved numbers  // in the file
	after []uint32 // the later ones, in memory
}

// merged yields every subject in the order of a table.
func (x *index) merged(yield func(subject string, found subjectMessages) bool) {
	order, i := slices.SortedFunc(maps.Keys(x.subjects), byEnd), 0
	for i < x.saved.ends.n || len(order) > 0 {
		var subject string
		var found subjectMessages
		side := 1 // -1: the next subject is in the file, 1: in memory, 0: in both
		if i < x.saved.ends.n {
			subject, side = x.saved.subject(i), -1
			if len(order) > 0 {
				side = byEnd(subject, order[0])
			}
		}
		if side <= 0 {
			found.saved, i = x.saved.messagesOf(i, i+1), i+1
		}
		if side >= 0 {
			subject, order = order[0], order[1:]
			found.after = *x.subjects[subject]
		}
		if !yield(subject, found) {
			return
		}
	}
}
