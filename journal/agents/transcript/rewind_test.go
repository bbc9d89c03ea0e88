package transcript_test

import (
	"testing"

	"journal/journal/agents/transcript"
)

// A person can go back to the newest prompt after a rewind: nothing is taken back then, but the next prompt follows that prompt.
func TestBackToTheNewestPrompt(t *testing.T) {
	t.Parallel()
	var b transcript.Branches
	b.Add(transcript.Prompt{ID: "first"})
	b.Add(transcript.Prompt{ID: "second"})
	if first, ok := b.Back(0); !ok || first.ID != "second" {
		t.Errorf("the rewind took back %q, %v", first.ID, ok)
	}
	if _, ok := b.Back(1); ok || b.Newest() != 1 {
		t.Errorf("the newest prompt is %d, rewind %v", b.Newest(), ok)
	}
}
