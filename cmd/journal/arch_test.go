package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArrows holds the table of packages in ARCHITECTURE.md against the code: every package has one
// row with one sentence, and the row names exactly the packages that it imports, those that only
// its tests import in parentheses. A new arrow is a decision: it is written down there first, and
// one that nobody uses any more is taken out.
func TestArrows(t *testing.T) {
	t.Parallel()
	rows := architecture(t)
	for _, p := range packages(t) {
		row, ok := rows[p.name]
		if !ok {
			t.Errorf("ARCHITECTURE.md has no row for %s, which imports %s", p.name, p.imports)
			continue
		}
		delete(rows, p.name)
		if row.sentence == "" {
			t.Errorf("ARCHITECTURE.md has no sentence about %s", p.name)
		}
		if row.joins { // of these only the server is looked at
			p.imports = slices.DeleteFunc(p.imports, func(name string) bool { return strings.Trim(name, "()") != server })
		}
		if !slices.Equal(p.imports, row.imports) {
			t.Errorf("%s imports %s; ARCHITECTURE.md says %s", p.name, p.imports, row.imports)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t.Errorf("ARCHITECTURE.md has a row for %s, which is no package", name)
	}
}

// server stands for the packages of the NATS server.
const server = "nats-server"

// architectureRow is what ARCHITECTURE.md says of a package.
type architectureRow struct {
	imports  []string // sorted; in parentheses what only tests import
	joins    bool     // it may import every package of ours
	sentence string
}

// architecture reads the rows "| `package` | imports | sentence |".
func architecture(t *testing.T) map[string]architectureRow {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]architectureRow{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\| ([^|]*) \\|$").FindAllStringSubmatch(string(text), -1) {
		row := architectureRow{imports: []string{}, sentence: strings.TrimSpace(m[3])}
		for name := range strings.FieldsSeq(strings.ReplaceAll(m[2], "`", "")) {
			switch name = strings.TrimRight(name, ","); name {
			case "—":
			case "…":
				row.joins = true
			default:
				row.imports = append(row.imports, name)
			}
		}
		slices.Sort(row.imports)
		if _, twice := rows[m[1]]; twice {
			t.Errorf("ARCHITECTURE.md has two rows for %s", m[1])
		}
		rows[m[1]] = row
	}
	return rows
}

// codePackage is a package of ours as it is.
type codePackage struct {
	name    string
	imports []string // as in architectureRow
}

// packages lists the packages of the module, on every system that it is built for.
func packages(t *testing.T) []codePackage {
	t.Helper()
	all := map[string]map[string]bool{} // whether an import is of the package itself, by name
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "journal/...")
		list.Env = append(os.Environ(), "GOOS="+system)
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				ImportPath                         string
				Imports, TestImports, XTestImports []string
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(p.ImportPath, "journal/")
			if all[name] == nil {
				all[name] = map[string]bool{}
			}
			for i, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				of, ours := strings.CutPrefix(path, "journal/")
				if strings.HasPrefix(path, "github.com/nats-io/nats-server/") {
					of, ours = server, true
				}
				if ours && of != name {
					all[name][of] = all[name][of] || i < len(p.Imports)
				}
			}
		}
	}
	var listed []codePackage
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := codePackage{name: name, imports: []string{}}
		for of, itself := range all[name] {
			if !itself {
				of = "(" + of + ")"
			}
			p.imports = append(p.imports, of)
		}
		slices.Sort(p.imports)
		listed = append(listed, p)
	}
	return listed
}
