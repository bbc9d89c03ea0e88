package redact_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mark is the place of a secret in a document of testdata/secrets.jsonl: §KIND§ or §KIND:LENGTH§, with @N where several are
// alike. The values are made with a seed when the test runs, so that no scanner takes the repository for a leak.
var mark = regexp.MustCompile(`§(\w+)(?::(\d+))?(?:@\d+)?§`)

// marked returns a document with values in place of its marks, and its secret.
func (g seeds) marked(doc, secret string) (string, string) {
	values := map[string]string{}
	fill := func(s string) string {
		return mark.ReplaceAllStringFunc(s, func(m string) string {
			if values[m] == "" {
				kind := mark.FindStringSubmatch(m)
				n, _ := strconv.Atoi(kind[2])
				values[m] = g.value(kind[1], n)
			}
			return values[m]
		})
	}
	return fill(doc), fill(secret)
}

// value returns a secret of people or machines, without bytes that need an escape.
func (g seeds) value(kind string, n int) string {
	switch kind {
	case "pw":
		if g.IntN(3) == 0 {
			return g.letters(mixedSet, 7) + g.of("!", "*", "+", "~", "^") + g.letters(mixedSet, 6)
		}
		return g.value("safe", 0)
	case "safe":
		word := func() string {
			return g.of("river", "maple", "dragon", "coffee", "winter", "guitar", "planet", "castle", "pepper", "tunnel", "violet", "walnut")
		}
		switch g.IntN(4) {
		case 0:
			return word() + g.letters(digits, 4)
		case 1:
			w := word()
			return strings.ToUpper(w[:1]) + w[1:] + word() + g.letters(digits, 3)
		case 2:
			return word() + "-" + word() + "-" + word()
		}
		return g.letters(mixedSet, 9) + g.letters(digits, 2) + g.letters(mixedSet, 3)
	case "tok":
		return []func() string{
			func() string { return g.letters(digits+"abcdef", 40) },
			func() string { return g.letters(mixedSet, 24+g.IntN(20)) },
			func() string { return g.letters(mixedSet+"-_", 32) + g.letters(digits, 2) },
			func() string { return g.value("uuid", 0) },
		}[g.IntN(4)]()
	case "uuid":
		h := g.letters(digits+"abcdef", 32)
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
	case "jwt":
		return "eyJhbGciOiJIUzI1NiJ9.eyJ" + g.letters(mixedSet, 40) + "." + g.letters(mixedSet+"-_", 43)
	}
	sets := map[string]string{
		"hex": digits + "abcdef", "an": mixedSet, "up": digits + "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "b64": mixedSet + "+/", "b64u": mixedSet + "-_",
		"low": digits + small, "num": digits, "b32": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	}
	return g.letters(sets[kind], n)
}

// ADR-0016 rule 9, in the places that four sets of cases have, each written before the rules had seen it: tool inputs and
// outputs, files of 60 formats, code in 25 languages, commands, listings, sentences.
func TestCorpusOfPlaces(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/secrets.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all, leaked := 0, 0
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var c struct {
			Place, Secret string
			Doc           json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		g := seeds{rand.New(rand.NewPCG(uint64(n), 5))}
		doc, secret := g.marked(string(c.Doc), c.Secret)
		all++
		if left, leaks := (sample{c.Place, json.RawMessage(doc), secret}).leaks(t); leaks {
			leaked++
			t.Logf("line %d, %s: %q stays in %s", n, c.Place, secret, left)
		}
	}
	t.Logf("%d of %d secrets stay", leaked, all)
	if all < 1000 || leaked*100 > all {
		t.Errorf("%d of %d stay: more than 1 in 100", leaked, all)
	}
}
