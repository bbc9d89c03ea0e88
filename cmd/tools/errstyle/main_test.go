package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for body, want := range map[string]string{
		"if err == nil { err = f() }; return err":                   "return the error early",
		"if c.lastErr == nil && n > 0 { n++ }":                      "return the error early",
		"if n, err = g(); n > 0 && err == nil { n++ }":              "", // It tests what the header assigns.
		"if b, err := g(); err == nil { use(b) }":                   "", // The error is not wanted afterwards.
		"if err == nil { return nil }; return f()":                  "", // A fallback.
		"for { if err == nil { break } }":                           "",
		"if err == nil { use(n) } else { use(0) }":                  "",
		"if err != nil { return err }":                              "",
		"if m.again = 2 * m.again; err != nil { return err }":       "own line",
		"if n++; err != nil { return err }":                         "own line",
		"if mu.Lock(); n > 0 { n = 0 }":                             "own line",
		"if m.again = 2 * m.again; m.again > n { n = 0 }":           "",
		"if b := g(); n > 0 { use(n) } else if b == nil { use(b) }": "",
		"switch n += 2; { case err != nil: return err }":            "own line",
		"switch b, err := g(); { case err != nil: use(b) }":         "",
		"switch n := f(); n { case 1: use(n) }":                     "",
		"return cmp.Or(err, f.Close())":                             "cmp.Or of errors",
		"return cmp.Or(f.Close(), fmt.Errorf(\"x\"))":               "cmp.Or of errors",
		"return cmp.Or(name, \"none\")":                             "",
	} {
		source := "package p\n\nfunc F() error {\n\t" + body + "\n}\n"
		dir, list := sample(t, source, "# None.\n")
		reports, err := check(dir, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(reports, "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

func TestExceptions(t *testing.T) {
	const bad, good = "package p\n\nfunc F() { if err == nil { f() } }\n", "package p\n"
	for _, test := range []struct {
		source, list string
		folders      []string
		want         string
	}{
		{bad, "", nil, "a/b/p.go:3: if err == nil"},
		{bad, "# Why.\na/b\n", nil, ""},
		{good, "a/b\n", nil, "a/b is clean"},
		{bad, "a/b\n", []string{"a/b/"}, "a/b/p.go:3"},
		{bad, "", []string{"a"}, ""},
	} {
		dir, list := sample(t, test.source, test.list)
		reports, err := check(dir, list, test.folders)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(reports, "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// sample returns a directory with one source and one list of exceptions.
func sample(t *testing.T, source, list string) (string, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a/b/p.go": source, "a/b/p_test.go": "not Go", "a/testdata/p.go": "not Go", "list": list} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, filepath.Join(dir, "list")
}
