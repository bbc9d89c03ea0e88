package team

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// An invitation in one line is the same invitation, and a line that lost its end is none.
func TestLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(1, 400, 2000)
		m := Member{
			Version: Version, Team: "acme", Name: "bob", Hub: []string{"tls://127.0.0.1:7422"}, Account: "A", Issuer: "U",
			CA: text.Draw(t, "ca"), Key: Key{JWT: "eyJ", Seed: text.Draw(t, "seed")},
		}
		line := m.Line()
		got, err := ParseMember(" " + line + "\n")
		if err != nil || got.CA != m.CA || got.Key != m.Key || got.Hub[0] != m.Hub[0] {
			t.Fatalf("%+v became %+v: %v", m, got, err)
		}
		short := line[:rapid.IntRange(len(linePrefix), len(line)-2).Draw(t, "length")]
		if _, err := ParseMember(short); !errors.Is(err, ErrInvitation) {
			t.Fatalf("%q is read: %v", short, err)
		}
	})
}
