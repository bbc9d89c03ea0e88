package events_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
)

// TestFileMoved: the moves known from a shell command, as "from to"; none if only a shell could tell, or if the command
// failed.
func TestFileMoved(t *testing.T) {
	t.Parallel()
	moved := func(h events.Hook) (all []string) {
		for _, ev := range events.Recognise(h) {
			if m, ok := ev.(events.FileMoved); ok {
				all = append(all, m.From+" "+m.To)
			}
		}
		return all
	}
	ran := func(command string) events.Hook {
		return events.Hook{Kind: events.ToolEnd, Cwd: "/w", Tool: &events.ToolCall{Action: events.RunCommand, Command: command}}
	}
	for command, want := range map[string][]string{
		"mv a.go b.go":                 {"/w/a.go /w/b.go"},
		"git mv a.go b.go":             {"/w/a.go /w/b.go"},
		"mv -f -- /x/a.go ../b.go":     {"/x/a.go /b.go"},
		"mv a.go b.go dir":             {"/w/a.go /w/dir/a.go", "/w/b.go /w/dir/b.go"},
		"mv a dir/":                    {"/w/a /w/dir/a"},
		"mv a.go dir":                  {"/w/a.go /w/dir/a.go"},
		"mv old new":                   {"/w/old /w/new"},
		"mv Dockerfile.dev Dockerfile": {"/w/Dockerfile.dev /w/Dockerfile"},
		"cd sub && mv a.go b.go":       {"/w/sub/a.go /w/sub/b.go"},
		"cd sub; mv a.go b.go":         {"/w/sub/a.go /w/sub/b.go"},
		"cd - ; mv a.go b.go":          nil,
		"cd; mv a.go b.go":             nil,
		"pushd x && mv a.go b.go":      nil,
		"mv a b; popd; mv c d":         {"/w/a /w/b"},
		"mv a.go b.go && true; true":   nil,
		"mv -t dir a.go":               nil,
		"mv a.go":                      nil,
		"mv *.go dir":                  nil,
		"mv $A b.go":                   nil,
		"mv a.go b.go | cat":           nil,
		"rm a.go":                      nil,
	} {
		if diff := cmp.Diff(want, moved(ran(command))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", command, diff)
		}
	}
	for name, change := range map[string]func(*events.Hook){
		"before it ran":      func(h *events.Hook) { h.Kind = events.ToolStart },
		"no command":         func(h *events.Hook) { h.Tool.Action = events.ReadFile },
		"failed":             func(h *events.Hook) { h.Tool.Failed = true },
		"in the background":  func(h *events.Hook) { h.Tool.Background = "1" },
		"nobody knows where": func(h *events.Hook) { h.Cwd = "w" },
	} {
		h := ran("mv a.go b.go")
		change(&h)
		if got := moved(h); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A command that appends a here document edited the file, and its passage is the document. One that replaces the file wrote it whole.
func TestAppendedHereDocument(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]events.FileWritten{
		"cat > a.go <<'EOF'\npackage a\nEOF": {Op: "write"},
		"cat >> a.go <<-EOF\n\n\t// b counts.\n\tvar b int\n\tvar c int\n\tEOF\ngo vet": {
			Op: "edit", Passages: []events.Passage{{Lines: []string{"// b counts.", "var b int", "var c int"}, Count: 3}},
		},
		"cat << 'EOF' >> a.go\nvar b int": {Op: "edit", Passages: []events.Passage{{Lines: []string{"var b int"}, Count: 1}}},
		"cat >> a.go <<EOF\nEOF":          {Op: "edit"},
	} {
		want.Path = "/w/a.go"
		ran := events.Hook{Kind: events.ToolEnd, Cwd: "/w", Tool: &events.ToolCall{Action: events.RunCommand, Command: command}}
		if got := events.Recognise(ran); !slices.ContainsFunc(got, func(ev events.Event) bool { return reflect.DeepEqual(ev, want) }) {
			t.Errorf("%q: %+v, want %+v", command, got, want)
		}
	}
}

// A command that begins with a here document into a file wrote that file; others are not read for redirections.
func TestFileFromHereDocument(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"cat > a.go <<'EOF'\npackage a\nEOF":                         "/w/a.go",
		"cd sub && cat > a.go << EOF\nx > y\nEOF\ngo vet ./...":      "/w/sub/a.go",
		"mkdir -p docs && cat <<'EOF' > docs/a.md\n# A\nEOF":         "/w/docs/a.md",
		"cat >> /x/notes.md <<-\"END\"\nmore\nEND":                   "/x/notes.md",
		"cat > \"$OUT\" <<'EOF'\nx\nEOF":                             "",
		"cat > /dev/null <<'EOF'\nx\nEOF":                            "",
		"git commit -F - <<'EOF'\ncat > a.go <<'X'\nEOF":             "",
		"go test ./... > out.txt":                                    "",
		"cat > a.go <<'EOF' && go vet ./...\npackage a\nEOF":         "",
		"python3 - <<'EOF'\nopen('a','w').write('cat > b <<X')\nEOF": "",
	} {
		got := ""
		for _, ev := range events.Recognise(events.Hook{Kind: events.ToolEnd, Cwd: "/w", Tool: &events.ToolCall{Action: events.RunCommand, Command: command}}) {
			if w, ok := ev.(events.FileWritten); ok {
				got += w.Path
			}
		}
		if got != want {
			t.Errorf("%q wrote %q, want %q", command, got, want)
		}
	}
}
