package redact_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"journal/journal/redact"
)

// made is a text, and the secret of it as it is written there.
type made struct {
	kind, value, text, secret string
	wrap                      map[string]any // the structured value whose member "" the text is, or nil
}

// redacted returns the redacted text.
func (m made) redacted(t *testing.T) string {
	t.Helper()
	if m.wrap == nil {
		return redact.Text(m.text)
	}
	out, err := redact.JSON([]byte(jsonOf(m.wrap)))
	if err != nil {
		t.Fatalf("%s: %v", m.text, err)
	}
	var back struct {
		Input    struct{ Content string } `json:"tool_input"`
		Response struct{ Stdout string }  `json:"tool_response"`
	}
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return back.Input.Content + back.Response.Stdout
}

// leaks returns the redacted text, and whether it has six characters in a row of the secret.
func (m made) leaks(t *testing.T) (left string, leaks bool) {
	t.Helper()
	left = m.redacted(t)
	rest := strings.Replace(m.text, m.secret, "\x00", 1)
	for i := 0; i+6 <= len(m.secret); i++ {
		if part := m.secret[i : i+6]; strings.Contains(left, part) && !strings.Contains(rest, part) {
			return left, true
		}
	}
	return left, redact.Count(left) == 0
}

// fill makes a text of a kind with a value, or none if the kind cannot hold such a value.
func (g seeds) fill(k kind, value string) (m made, ok bool) {
	m.kind = k.text
	if m.secret, ok = written(value, k.how); !ok {
		return m, false
	}
	name := g.telling()
	pairs := []string{"§V§", m.secret, "§w§", g.of("blue", "north", "main", "demo"), "§n§", g.letters("123456789", 4), "§h§", g.letters(digits+"abcdef", 32), "§u§", g.value("uuid", 0)}
	for _, style := range []byte("SsckdHT") {
		pairs = append(pairs, "§"+string(style)+"§", styled(name, style))
	}
	m.text = strings.NewReplacer(pairs...).Replace(k.text)
	if g.IntN(3) == 0 {
		m.wrap = obj("tool_name", "Bash", "tool_response", obj("stdout", m.text))
		if k.file != "" {
			m.wrap = obj("tool_name", "Write", "tool_input", obj("file_path", "/srv/"+k.file, "content", m.text))
		}
	}
	return m, true
}

// produce makes n documents of every kind with every way to make values.
func produce(seed uint64, kinds []kind, n int) (all []made) {
	for i, k := range kinds {
		for j, v := range generated {
			g := seeds{rand.New(rand.NewPCG(seed, uint64(i*100+j)))}
			for range n {
				value := v.make(g)
				if k.value != nil {
					value = k.value(g)
				}
				if m, ok := g.fill(k, value); ok {
					m.value = v.name
					all = append(all, m)
				}
			}
		}
	}
	return all
}

// measure reports how many of the documents leak, by kind and by value.
func measure(t *testing.T, all []made) (leaked int) {
	t.Helper()
	kinds, values, seen := map[string]int{}, map[string]int{}, map[string]int{}
	for _, m := range all {
		left, leaks := m.leaks(t)
		if !leaks {
			continue
		}
		leaked++
		values[m.value]++
		if kinds[m.kind]++; seen[m.kind+m.value] < 1 {
			seen[m.kind+m.value]++
			t.Logf("%s: %s\n stays in %s", m.value, m.secret, left)
		}
	}
	for _, by := range []map[string]int{values, kinds} {
		var lines []string
		for k, n := range by {
			lines = append(lines, fmt.Sprintf("%5d %q", n, k))
		}
		slices.Sort(lines)
		t.Logf("by kind or value:\n%s", strings.Join(lines, "\n"))
	}
	t.Logf("%d of %d stay: %.2f %% removed", leaked, len(all), 100-100*float64(leaked)/float64(len(all)))
	return leaked
}

// seedOfSets is the seed of the sets, on which their names and values depend.
const seedOfSets = 6

// The name decides: at least 995 of 1,000 values of assignments are removed.
func TestAssignedSecrets(t *testing.T) {
	t.Parallel()
	for name, kinds := range map[string][]kind{"first": assignedKinds, "held out": assignedHeldOut, "last": lastHeldOut} {
		t.Run(name, func(t *testing.T) {
			all := produce(seedOfSets, kinds, 3)
			if leaked := measure(t, all); len(all) < 300 || leaked*200 > len(all) {
				t.Errorf("%d of %d stay: more than 5 in 1,000", leaked, len(all))
			}
		})
	}
}

// Of secrets in any place beside their name 97 % are removed.
func TestSecretsOfAllKinds(t *testing.T) {
	t.Parallel()
	for name, kinds := range map[string][]kind{"first": slices.Concat(assignedKinds, otherKinds), "held out": slices.Concat(assignedHeldOut, otherHeldOut)} {
		t.Run(name, func(t *testing.T) {
			all := produce(seedOfSets, kinds, 2)
			if leaked := measure(t, all); len(all) < 300 || leaked*100 > 3*len(all) {
				t.Errorf("%d of %d stay: more than 3 in 100", leaked, len(all))
			}
		})
	}
}
