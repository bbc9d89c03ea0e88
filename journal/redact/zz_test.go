package redact_test

import (
	"testing"

	"pgregory.net/rapid"

	"journal/journal/redact"
)

func TestZZ(t *testing.T) {
	for _, in := range clean {
		if n := testing.AllocsPerRun(10, func() { redact.Text(in) }); n > 0 {
			t.Log(n, in)
		}
	}
	marks, n, size := 0, 0, 0
	gen := texts()
	rapid.Check(t, func(t *rapid.T) {
		s := gen.Draw(t, "x")
		n++
		size += len(s)
		if redact.Text(s) != s {
			marks++
		}
	})
	t.Log(n, marks, size/n)
}
