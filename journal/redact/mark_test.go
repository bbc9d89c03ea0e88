package redact_test

import (
	"testing"

	"journal/journal/redact"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"":                                       0,
		"redacted:token":                         0,
		"[redacted:]":                            0,
		"[redacted:token":                        0,
		"[redacted:Token]":                       0,
		"[redacted:two words]":                   0,
		"[redacted:token]":                       1,
		"[redacted:[redacted:token]":             1,
		"a [redacted:token][redacted:jwt] b":     2,
		"[redacted:aws-access-key]\n[redacted:x": 1,
		"[redacted:a-kind-that-is-much-too-long-for-a-mark]": 0,
	} {
		if got := redact.Count(s); got != want {
			t.Errorf("Count(%q) = %d, want %d", s, got, want)
		}
	}
}
