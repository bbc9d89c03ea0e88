package transcript

import (
	"slices"
	"testing"
)

// Short last words stand with the words before them, whatever these say; longer ones stand alone.
func TestWordsBeforeShortOnes(t *testing.T) {
	t.Parallel()
	const finding, trace = "The problem is the order of the migrations, not the lock.", "Let me trace whether FilterAndNormalizePaths drops the files."
	w := Words{}.Then("r1", "t", finding).Then("r2", "t", trace).Then("r3", "t", "Let me check the order:")
	if got := w.Found(); !slices.Equal(got, []string{finding, trace}) {
		t.Errorf("before short words: %q", got)
	}
	long := "The order of the events shows that the hook ran before the commit, so its state was read too early, and the second look found nothing to do; I move the call behind it."
	if got := w.Then("r4", "t", long).Found(); !slices.Equal(got, []string{finding}) {
		t.Errorf("before long words: %q", got)
	}
}
