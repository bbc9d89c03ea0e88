package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module writes a module of one package, of which a test looks at half.
func module(t *testing.T) pkg {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module example\n\ngo 1.26\n",
		"p.go": `package p

import "fmt"

type logger struct{}

func (logger) Info(string) {}

var (
	calls int
	log   logger
)

func Looked(n int) bool {
	return n > 3
}

func Unlooked(n int) bool {
	log.Info("called")
	calls = calls * 1
	return n > 3
}

func failing(n int) (int, error) {
	if n == 5 {
		return 7, fmt.Errorf("%d", n)
	}
	_, err := fmt.Sscan("", &n)
	if err != nil {
		return 8, err
	}
	return 9, err
}

func asked(n int) (half int, ok bool) {
	if n == 6 {
		return 10, false
	}
	return 11, true
}

func dead(n int) {
	if n = n; false {
		calls++
	}
}
`,
		"p_test.go": `package p

import "testing"

func TestLooked(t *testing.T) {
	if Looked(3) || !Looked(4) || !Looked(5) || Unlooked(3) {
		t.Error("wrong")
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	all, err := packagesOf(t.Context(), []string{"./..."})
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	return all[0]
}

// Every mutation of a package that can be noticed is noticed or told, what does nothing is
// neither, and the words of a log are not touched. The tree is as it was.
func TestMutations(t *testing.T) {
	p := module(t)
	before, err := os.ReadFile("p.go")
	if err != nil {
		t.Fatal(err)
	}
	d := draw{seed: 1}
	drawn, err := d.drawnFrom(p)
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.drawnFrom(p)
	if err != nil || !slices.EqualFunc(drawn, again, func(a, b mutation) bool { return a.key() == b.key() }) {
		t.Errorf("one seed draws two things: %v, %v", drawn, again)
	}
	if d.seed = 2; len(drawn) < 9 || slices.ContainsFunc(drawn, func(m mutation) bool { return strings.Contains(m.New, "log.Info") && m.Kind == "statement" }) {
		t.Errorf("drawn: %v", drawn)
	}
	for beside, want := range map[string]bool{"return 7, ": false, "return 8, ": false, "return 9, ": true, "return 10, ": false, "return 11, ": true} {
		drawn := slices.ContainsFunc(drawn, func(m mutation) bool { return strings.Contains(m.Old, beside) && !strings.Contains(m.New, beside) })
		if drawn != want {
			t.Errorf("beside an error, or ok: %q drawn %v", beside, drawn)
		}
	}
	if !slices.ContainsFunc(drawn, func(m mutation) bool { return strings.Contains(m.New, "return 10, true") }) {
		t.Error("what has nothing to give is never drawn as if it had")
	}
	one := slices.IndexFunc(drawn, func(m mutation) bool { return m.Func == "Unlooked" && m.Kind == "statement" })
	if one < 0 {
		t.Fatalf("drawn: %v", drawn)
	}
	drawn = slices.DeleteFunc(drawn, func(m mutation) bool { return m.Func == "failing" || m.Func == "asked" }) // nothing calls these
	one = slices.IndexFunc(drawn, func(m mutation) bool { return m.Func == "Unlooked" && m.Kind == "statement" })
	r, err := d.try(t.Context(), p, drawn, map[string]string{drawn[one].key(): "nobody sees it"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Named) != 1 || r.Named[0].Reason != "nobody sees it" || r.Own < 3 || r.Same < 2 || r.Users+r.Scripts != 0 {
		t.Errorf("%+v", r)
	}
	for _, m := range r.Survivors {
		if !slices.Contains([]string{"Unlooked", "dead"}, m.Func) || m.Line == 0 || m.Old == m.New {
			t.Errorf("survived: %v", m)
		}
	}
	if after, err := os.ReadFile("p.go"); err != nil || string(after) != string(before) {
		t.Errorf("the source is not as it was: %v", err)
	}
}

// Tests that fail without any change are an error, and no result.
func TestNothingToMeasure(t *testing.T) {
	module(t)
	failing := "package p\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Error(\"no\") }\n"
	if err := os.WriteFile("fails_test.go", []byte(failing), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), draw{seed: 1, n: 1}, []string{"./..."}, 1, true, false); err == nil || !strings.Contains(err.Error(), "TestFails") {
		t.Errorf("error %v", err)
	}
}

// What is named equivalent is still in the source, as a mutation that can be drawn.
func TestEquivalents(t *testing.T) {
	t.Chdir("../../..")
	known, err := equivalents()
	if err != nil {
		t.Fatal(err)
	}
	all, err := packagesOf(t.Context(), strings.Fields(measured))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		sites, err := p.sites()
		if err != nil {
			t.Fatal(err)
		}
		for _, variants := range sites {
			for _, m := range variants {
				delete(known, m.key())
			}
		}
	}
	for key := range known {
		t.Errorf("equivalent.txt names what cannot be drawn any more:\n%s", key)
	}
}
