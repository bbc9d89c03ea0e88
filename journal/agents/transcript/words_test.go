package transcript

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts returns the texts of Found.
func texts(w Words) (all []string) {
	for _, f := range w.Found() {
		all = append(all, f.Text)
	}
	return all
}

// acted returns the number of findings that were acted upon.
func acted(w Words) (n int) {
	for _, f := range w.Found() {
		if f.Acted {
			n++
		}
	}
	return n
}

// Short last words stand with the words before them, whatever these say; longer ones stand alone.
func TestWordsBeforeShortOnes(t *testing.T) {
	t.Parallel()
	const finding, trace = "The problem is the order of the migrations, not the lock.", "Let me trace whether FilterAndNormalizePaths drops the files."
	w := Words{}.Next("r1", "t", finding).Next("r2", "t", trace).Next("r3", "t", "Let me check the order:")
	if got := texts(w); !slices.Equal(got, []string{finding, trace}) {
		t.Errorf("before short words: %q", got)
	}
	long := "The order of the events shows that the hook ran before the commit, so its state was read too early, and the second look found nothing to do; I move the call behind it."
	if got := texts(w.Next("r4", "t", long)); !slices.Equal(got, []string{finding}) {
		t.Errorf("before long words: %q", got)
	}
}

// Reasoning that says a finding stays when newer reasoning or words replace it, and what was said before stands before
// it. Words before short ones are kept, whatever they say.
func TestReasoningIsAFinding(t *testing.T) {
	t.Parallel()
	const (
		said     = "Only the first row is read, because the reader stops at an empty one."
		found    = "Found it: common.go:532 joins the directory with a path of git, which is below the root."
		announce = "Now let me add the import of the new package:"
	)
	w := Words{}.Next("r1", "t", said).Next("r2", "t", announce)
	w.Think(found)
	w.Think("Let me find the function's name.")
	if got := texts(w); !slices.Equal(got, []string{said, found}) {
		t.Errorf("after newer reasoning: %q", got)
	}
	w.Think(found)
	if got := texts(w.Next("r3", "t", announce).Next("r4", "t", "Next, the tests:")); !slices.Equal(got, []string{said, found, found, announce}) {
		t.Errorf("after newer words: %q", got)
	}
	if w = w.Next("r5", "t", announce); w.Thought != "" {
		t.Errorf("reasoning before the newest words: %q", w.Thought)
	}
}

// A finding before a file was written is marked, also if it was the newest words or reasoning then; a look marks none.
func TestFindingsBeforeEdits(t *testing.T) {
	t.Parallel()
	const one, two, three = "The root cause: the reader stops at an empty row.", "Found it, the writer drops the row, too, and counts it.", "The test is right, because it names the row that is missing."
	w := Words{}.Next("r1", "t", one).Next("r2", "t", two)
	w.Called("Read", "u")
	w.Think(three)
	if n := acted(w); n != 0 {
		t.Errorf("after a look, %d findings were acted upon", n)
	}
	w.Called("Edit", "u")
	w.Think("Next, the totals.")
	if next := w.Next("r3", "t", "And now the totals of a month:"); acted(next) != 3 || !slices.Equal(texts(next), []string{one, two, three}) {
		t.Errorf("after an edit: %+v", next.Found())
	}
	w.Called("Read", "u")
	w = w.Next("r3", "t", "The totals are wrong because of the second row.").Next("r4", "t", "Let me look at the totals:")
	if acted(w) != 3 || len(w.Found()) != 4 {
		t.Errorf("after a newer finding: %+v", w.Found())
	}
	var ages []int
	for _, f := range w.Found() {
		ages = append(ages, f.Calls)
	}
	if !slices.Equal(ages, []int{3, 3, 2, 0}) {
		t.Errorf("calls since the findings: %v", ages)
	}
}

// The words or the reasoning directly before a call that writes a file announce it.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	w := Words{}.Next("r1", "t", "Now fix the reader:")
	w.Called("Edit", "u1")
	w.Called("Edit", "u2") // nothing was said before it
	w.Think("The writer has the same fault.")
	w.Called("Read", "u3")
	w.Called("Write", "u4")
	w.Think("I add the count.")
	w.Called("Write", "u5")
	w = w.Next("r2", "t", strings.Repeat("long ", 1000))
	w.Called("Edit", "u6")
	want := []Announcement{{"u1", "Now fix the reader:"}, {"u5", "I add the count."}}
	if !slices.Equal(w.Announced, want) {
		t.Errorf("%+v, want %+v", w.Announced, want)
	}
	for range 2 * maxAnnounced {
		w = w.Next("r3", "t", "And the next one:")
		w.Called("Edit", "u7")
	}
	if len(w.Announced) != maxAnnounced {
		t.Errorf("%d announcements", len(w.Announced))
	}
}

// TestEarlierActed: of the findings of the turn before, those after which the agent wrote a file are marked; all are once it wrote in a turn
// without findings.
func TestEarlierActed(t *testing.T) {
	t.Parallel()
	const cause, place = "The bug is that `first` starts at 1 in pages.go.", "The only other place is `totals.go`, which is fine."
	words := Words{}.Asked("r1", "").Next("r2", "", cause)
	words.Called("Edit", "u1")
	words = words.Next("r3", "", place).Next("r4", "", "The pages are counted once now, and so are the totals of all the others.").Asked("r5", "")
	if diff := cmp.Diff([]Earlier{{cause, true}, {place, false}}, words.Earlier); diff != "" {
		t.Error(diff)
	}
	words.Called("Edit", "u2")
	if diff := cmp.Diff([]Earlier{{cause, true}, {place, true}}, words.Asked("r6", "").Earlier); diff != "" {
		t.Error(diff)
	}
}
