package projections_test

import (
	"testing"

	"journal/projections"
)

// TestPhaseTells: a phase that the skill's file has is not given back twice; one that it only seems to have is.
func TestPhaseTells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, phase, summary string
		want                 bool
	}{
		{"## Completed Phases\n\n### 1. Problem\nusers are anonymous\n", "1. Problem", "users are anonymous", true},
		{"| 1 | ok |", "1", "ok", true},
		{"### 10\ntokens are kept", "1", "ok", false},
		{"### 10\ntokens are kept, in step 1: ok", "1", "ok", true},
		{"### 2단계\n요구사항을 모았다", "2단계", "요구사항을 모았다", true},
		{"### 1\n", "1", "", false},
		{"text", "", "text", false},
	} {
		s := projections.PhaseState{Text: c.text}
		if got := s.Contains(projections.CompletedPhase{Phase: c.phase, Summary: c.summary}); got != c.want {
			t.Errorf("%q tells of %q, %q: %v", c.text, c.phase, c.summary, got)
		}
	}
}
