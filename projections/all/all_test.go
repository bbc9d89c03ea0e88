package all

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinked: every package that declares projections is linked here, and every caller that lists or looks up
// projections imports this package: otherwise some would be missing silently.
func TestLinked(t *testing.T) {
	t.Parallel()
	const this = `"journal/projections/all"`
	linked, err := os.ReadFile("all.go")
	if err != nil {
		t.Fatal(err)
	}
	asks, imports := map[string]bool{}, map[string]bool{}
	asking := regexp.MustCompile(`projections\.(All|Named)\(`)
	module := os.DirFS(filepath.Join("..", ".."))
	err = fs.WalkDir(module, ".", func(name string, _ fs.DirEntry, err error) error {
		dir := path.Dir(name)
		if err != nil || path.Ext(name) != ".go" || dir == "projections/all" {
			return err
		}
		source, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		text := string(source)
		if strings.Contains(text, "projections.Declare(") && !strings.Contains(string(linked), `"journal/`+dir+`"`) && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s declares a projection: all.go has to import journal/%s", name, dir)
		}
		asks[dir] = asks[dir] || asking.MatchString(text)
		for _, i := range file.Imports {
			imports[dir] = imports[dir] || i.Path.Value == this
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range asks {
		linked := imports[dir] || strings.HasPrefix(dir, "cmd/journal/") && imports["cmd/journal"] // the program links all
		if asks[dir] && !linked {
			t.Errorf("%s asks for all projections: it has to import %s", dir, this)
		}
	}
}
