package projections

import (
	"slices"
	"strconv"
	"strings"

	"journal/events"
)

// comparison finds out what an observation of a file of knowledge shows against
// what was known of the file.
type comparison struct {
	e         events.FileObserved
	at        At
	before    bool       // the file was observed before
	learnings []Learning // of all files; changed in place

	same     []int // for each entry the learning that it is, -1 for a new one
	vanished []int // learnings of the file that have no entry any more
}

func (c *comparison) match() {
	taken := make([]bool, len(c.learnings))
	for _, entry := range c.e.Entries {
		i := -1
		for j, l := range c.learnings {
			if l.File == c.e.Path && l.Title == entry.Heading && !taken[j] && (i < 0 || c.learnings[i].DeletedSeq != 0) {
				i = j
			}
		}
		if i >= 0 {
			taken[i] = true
		}
		c.same = append(c.same, i)
	}
	if c.e.Gap != "" {
		return // what is not there may be in the part that was left out
	}
	for j, l := range c.learnings {
		if l.File == c.e.Path && l.DeletedSeq == 0 && !taken[j] {
			c.vanished = append(c.vanished, j)
		}
	}
}

func (c *comparison) change() {
	sum := 0
	var titles []string
	for _, j := range c.vanished {
		sum += c.learnings[j].Confirmed
		titles = append(titles, c.learnings[j].Title)
	}
	into := "" // where the vanished ones went; they go to one place
	for i, entry := range c.e.Entries {
		now := learningOf(entry)
		now.File, now.Seq = c.e.Path, c.at.Seq
		free := into == "" && len(c.vanished) > 0
		if j := c.same[i]; j >= 0 {
			c.learnings[j] = c.learnings[j].became(now, free, sum, titles)
			if c.learnings[j].ChangedSeq == c.at.Seq && c.learnings[j].Change == Merged {
				into = now.Title
			}
			continue
		}
		if c.before {
			now.Change, now.ChangedSeq = Created, c.at.Seq
		}
		switch {
		case !free || len(c.vanished) < 2:
		case now.Confirmed == 1:
			now.Change, now.From, into = Synthesised, titles, now.Title
		case now.Confirmed > 1 && now.Confirmed == sum:
			now.Change, now.From, into = Merged, titles, now.Title
		}
		c.learnings = append(c.learnings, now)
	}
	for _, j := range c.vanished {
		l := &c.learnings[j]
		l.Change, l.ChangedSeq, l.DeletedSeq, l.Into = Deleted, c.at.Seq, c.at.Seq, into
	}
}

// became gives a learning as it is now. Learnings that vanished without a trace may have been merged into it.
func (l Learning) became(now Learning, free bool, sum int, vanished []string) Learning {
	var change Change
	switch rise := now.Confirmed - l.Confirmed; {
	case l.DeletedSeq != 0:
		change = Created
	case free && rise > 0 && rise == sum:
		change = Merged
	case rise == 1:
		change = Confirmed
	case rise != 0, l.Date != now.Date, l.Learning != now.Learning, !slices.Equal(l.Phases, now.Phases):
		change = Edited
	default:
		return l
	}
	now.Seq, now.Change, now.ChangedSeq = l.Seq, change, now.Seq
	if change == Merged {
		now.From = vanished
	}
	return now
}

// learningOf reads an entry. Its line of confirmations is "3回 | 2026-02-20 |
// implement, review", or begins with "3 times" or "3x" (S1.14); without a number
// it is unverified.
func learningOf(e events.Entry) Learning {
	l := Learning{Title: e.Heading, Learning: events.LabelIn(e.Labels, "Learning", "学び", "배움")}
	parts := strings.Split(strings.ReplaceAll(events.LabelIn(e.Labels, "Confirmed", "確認", "확인"), "｜", "|"), "|")
	digits := strings.TrimSpace(parts[0])
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || '9' < r }); i >= 0 {
		digits = digits[:i]
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > maxConfirmations {
		return l
	}
	l.Confirmed = n
	if len(parts) > 1 {
		l.Date = strings.TrimSpace(parts[1])
	}
	if len(parts) > 2 {
		for phase := range strings.FieldsFuncSeq(parts[2], func(r rune) bool { return r == ',' || r == '、' }) {
			if phase = strings.TrimSpace(phase); phase != "" {
				l.Phases = append(l.Phases, phase)
			}
		}
	}
	return l
}

// maxConfirmations is more than anybody confirms; a larger number is not taken as a count.
const maxConfirmations = 1_000_000
