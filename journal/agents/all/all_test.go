package all_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"journal/journal/agents"
	_ "journal/journal/agents/all"
	"journal/journal/agents/install"
	"journal/journal/agents/transcript"
	"journal/journal/wire/frame"
)

// folders lists the agents with a folder: the packages beside this one that declare a dialect.
func folders(t *testing.T) (names []string) {
	t.Helper()
	all, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(filepath.Dir(path)); bytes.Contains(source, []byte("agents.Declare(")) && !strings.HasSuffix(path, "_test.go") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatal("no agent has a folder")
	}
	return names
}

// TestLinked: every agent with a folder is linked under the folder's name, and agents without one declare nothing.
func TestLinked(t *testing.T) {
	t.Parallel()
	have := folders(t)
	for _, agent := range have {
		if !slices.Contains(agents.Agents(), agent) {
			t.Errorf("%s is linked nowhere: all.go lacks it, or it declares another name", agent)
		}
	}
	for _, agent := range slices.Concat(transcript.Agents(), install.Agents()) {
		if !slices.Contains(have, agent) {
			t.Errorf("%s has transcripts or an installation and no folder", agent)
		}
	}
}

// TestNamesOfAgents: only an agent's own code names the agent or its environment variables. Folders named after it with
// a leading dot are the person's, and the file that specifies a directory (S2) is the project's, whichever agent
// compiles it.
func TestNamesOfAgents(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`(?i)(?:^|[^.\w])(?:` + strings.Join(folders(t), "|") + `)(?:$|[^a-zA-Z])`)
	if !named.MatchString("CLAUDE_PID") || !named.MatchString("hook claude") || named.MatchString("x/.claude/y") {
		t.Fatalf("%v finds nothing", named)
	}
	specification := strings.NewReplacer("CLAUDE.md", "", "claude_md_path", "", " cursor ", " ", // in a list of pages
		" gemini github ", " ") // in a list of issuers of keys
	root := filepath.Join("..", "..", "..")
	variables := filepath.Join(root, "journal", "wire", "frame", "variables.go") // the small program carries them
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			// The program that plays the real clients names them, one per file.
			played := path == filepath.Join(root, "cmd", "tools", "e2e")
			if played || path == filepath.Join(root, "journal", "agents") || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == variables:
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && named.MatchString(specification.Replace(s)) {
					t.Errorf("%s: %s names an agent", files.Position(n.Pos()), n.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAround: a command inside an agent gets its project and session from that agent's variables; outside of agents it
// gets none.
func TestAround(t *testing.T) {
	t.Parallel()
	if project, session := agents.FromEnvironment(func(string) string { return "" }); project != "" || session != "" {
		t.Errorf("nobody says %q, %q", project, session)
	}
	for _, agent := range agents.Agents() {
		d, err := agents.Named(agent)
		if err != nil {
			t.Fatal(err)
		}
		vars := map[string]string{d.Vars.Project: "/p", d.Vars.Session: "s"}
		project, session := agents.FromEnvironment(func(name string) string { return vars[name] })
		if d.Vars.Project != "" && project != "/p" || d.Vars.Session != "" && session != "s" {
			t.Errorf("%s says %q, %q", agent, project, session)
		}
	}
}

// TestInnerAgent: an agent that another agent's hook started has its own project, and not that of the other.
func TestInnerAgent(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"GEMINI_PROJECT_DIR": "/outer", "CLAUDE_CODE_SESSION_ID": "s"}
	if project, session := agents.FromEnvironment(func(name string) string { return vars[name] }); project != "" || session != "s" {
		t.Errorf("session %q of project %q", session, project)
	}
}

// TestVariablesAreCarried: every variable that a dialect reads is carried to the owner by the hook's program: the
// package frame names it.
func TestVariablesAreCarried(t *testing.T) {
	t.Parallel()
	carried := frame.Variables[:]
	for _, agent := range agents.Agents() {
		d, err := agents.Named(agent)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{d.Vars.Project, d.Vars.Exports} {
			if name != "" && !slices.Contains(carried, name) {
				t.Errorf("%s of %s is not carried", name, agent)
			}
		}
	}
	calls := 0
	for _, agent := range agents.Agents() {
		paths, err := filepath.Glob(filepath.Join("..", agent, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.Base(path), "install") {
				continue // an installation reads the variables of its own process
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 1 {
					return true
				}
				if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Getenv" {
					return true
				}
				calls++
				from := &ast.Ident{}
				if name, ok := call.Args[0].(*ast.SelectorExpr); ok {
					from, _ = name.X.(*ast.Ident)
				}
				if from == nil || from.Name != "frame" {
					t.Errorf("%s reads a variable that the package frame does not name", files.Position(n.Pos()))
				}
				return true
			})
		}
	}
	if calls == 0 {
		t.Error("no dialect reads a variable")
	}
}
