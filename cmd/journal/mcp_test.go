package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connected is the SDK's own client of a server that runs in a project's directory.
func (w *world) connected(dir string) *mcp.ClientSession {
	w.Helper()
	c := exec.Command(w.bin, "mcp")
	c.Env, c.Dir = w.env, dir
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(w.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = s.Close() }) // a test that cares closes it itself
	return s
}

// tell calls a tool and gives its text, and its structured result.
func (w *world) tell(s *mcp.ClientSession, name string, arguments map[string]any) (string, map[string]any, bool) {
	w.Helper()
	r, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		w.Fatal(err)
	}
	var all []string
	for _, c := range r.Content {
		all = append(all, c.(*mcp.TextContent).Text)
	}
	doc, _ := r.StructuredContent.(map[string]any)
	return strings.Join(all, "\n"), doc, r.IsError
}

// TestMCPAlone is an agent without hooks: what one session decides the next one gets
// back.
func TestMCPAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	first := w.connected(dir)
	if got, _, bad := w.tell(first, "recover", nil); bad || got != "nothing to show" {
		t.Errorf("of nothing: %q", got)
	}
	text, doc, bad := w.tell(first, "decide", map[string]any{"text": "--all tests use a real server, since mocks lied"})
	seqs, _ := doc["seqs"].([]any)
	if bad || len(seqs) != 1 {
		t.Fatalf("decide: %s %v", text, doc)
	}
	w.tell(first, "note", map[string]any{"text": "the port is taken on CI", "heading": "CI"})
	w.tell(first, "port", map[string]any{"action": "define", "id": "auth", "title": "Sign in", "item": []any{"routes", "tests"}})
	w.tell(first, "port", map[string]any{"action": "start", "id": "auth"})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second := w.connected(dir)
	text, doc, _ = w.tell(second, "recover", nil)
	for _, want := range []string{"--all tests use a real server", "the port is taken on CI", "Sign in"} {
		if !strings.Contains(text, want) {
			t.Errorf("the next session does not hear %q in\n%s", want, text)
		}
	}
	if doc["text"] == nil && len(doc) == 0 {
		t.Errorf("no structured form: %v", doc)
	}
	text, doc, _ = w.tell(second, "decide", map[string]any{"text": "tests use a real server or none", "replaces": seqs[0]})
	if doc["seqs"] == nil {
		t.Fatalf("replacing: %s", text)
	}
	if text, _, _ = w.tell(second, "recover", nil); strings.Contains(text, "mocks lied") {
		t.Errorf("what was replaced comes back:\n%s", text)
	}
	if text, _, bad = w.tell(second, "decide", map[string]any{"retract": 999}); !bad || !strings.Contains(text, "#999 is no decision") {
		t.Errorf("retracting what is none: %v %s", bad, text)
	}
	if text, _, _ = w.tell(second, "recall", map[string]any{"text": "taken CI"}); !strings.Contains(text, "the port is taken on CI") {
		t.Errorf("recall: %s", text)
	}
	if text, _, bad = w.tell(second, "recall", map[string]any{"text": "nowhere"}); bad || !strings.Contains(text, "nothing found") {
		t.Errorf("recall of nothing: %v %s", bad, text)
	}
	if text, _, _ = w.tell(second, "show", map[string]any{"numbers": seqs}); !strings.Contains(text, "decision.recorded") {
		t.Errorf("show: %s", text)
	}
}

// Clients show the structured result in the place of the text where there is one, so that
// one without a bound would fill the context that the text leaves free.
func TestMCPBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.connected(t.TempDir())
	var seqs []any
	for i := range 20 {
		_, doc, bad := w.tell(s, "note", map[string]any{"text": fmt.Sprint(i, strings.Repeat(" a long way to the harbour", 600))})
		if bad || doc["seqs"] == nil {
			t.Fatal(doc)
		}
		seqs = append(seqs, doc["seqs"].([]any)...)
	}
	if text, doc, _ := w.tell(s, "show", map[string]any{"numbers": seqs}); doc != nil || len(text) > 61<<10 || !strings.Contains(text, "more lines") {
		t.Errorf("%d bytes, structured %t", len(text), doc != nil)
	}
	if text, doc, _ := w.tell(s, "show", map[string]any{"numbers": seqs[:1]}); doc == nil {
		t.Errorf("short and not structured: %s", text)
	}
}

// A line that is longer than the bound is cut, and not left out: it may be all that was asked for.
func TestMCPLongLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.connected(t.TempDir())
	_, doc, bad := w.tell(s, "note", map[string]any{"text": "the routes: " + strings.Repeat("부두로 가는 긴 길 ", 4000)})
	if bad || doc["seqs"] == nil {
		t.Fatal(doc)
	}
	text, _, _ := w.tell(s, "show", map[string]any{"numbers": doc["seqs"]})
	if !strings.Contains(text, "the routes: 부두로") || len(text) > 61<<10 || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %.300s", len(text), text)
	}
}

// TestMCPTools holds every tool to what clients demand, and to refuse what it does
// not know.
func TestMCPTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.connected(t.TempDir())
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		b, _ := json.Marshal(tool.InputSchema)
		for _, never := range []string{`"all"`, `"project"`, `"html"`, `"to"`, `"dir"`} {
			if strings.Contains(string(b), never+":") {
				t.Errorf("%s takes %s", tool.Name, never)
			}
		}
		text, _, bad := w.tell(s, tool.Name, map[string]any{"all": true, "action": "show"})
		if !bad || !strings.Contains(text, "no argument") {
			t.Errorf("%s takes what it does not know: %s", tool.Name, text)
		}
	}
	for _, want := range []string{"audit", "compound", "decide", "note", "phase", "port", "recall", "recover", "restore", "show"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no tool %s in %v", want, names)
		}
	}
	if text, _, bad := w.tell(s, "phase", map[string]any{"action": "remove"}); !bad || !strings.Contains(text, "action must be one of enter") {
		t.Errorf("an action that there is not: %s", text)
	}
	if text, _, bad := w.tell(s, "decide", map[string]any{"text": map[string]any{}}); !bad {
		t.Errorf("an object for a text: %s", text)
	}
	if text, _, bad := w.tell(s, "phase", map[string]any{"action": "enter"}); !bad || !strings.Contains(text, "are required") {
		t.Errorf("what the verb refuses: %s", text)
	}
}

// TestMCPNumbers: the schema of a number has the bounds that the tool checks.
func TestMCPNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.connected(t.TempDir())
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	numbers := 0
	for _, tool := range list.Tools {
		properties, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		for name, p := range properties {
			schema := p.(map[string]any)
			list, isList := schema["items"].(map[string]any)
			if isList {
				schema = list
			}
			if schema["type"] != "integer" {
				continue
			}
			numbers++
			least, _ := schema["minimum"].(float64)
			most, _ := schema["maximum"].(float64)
			for _, n := range []float64{least - 1, most + 1} {
				arguments := map[string]any{"action": "done", name: n}
				if tool.Name != "compound" {
					delete(arguments, "action")
				}
				if isList {
					arguments[name] = []any{n}
				}
				if text, _, bad := w.tell(s, tool.Name, arguments); !bad || !strings.Contains(text, fmt.Sprintf(" from %.0f to %.0f", least, most)) {
					t.Errorf("%s takes %s=%.0f, not from %.0f to %.0f: %s", tool.Name, name, n, least, most, text)
				}
			}
		}
	}
	if numbers != 8 {
		t.Errorf("%d numbers in the schemas, want 8", numbers)
	}
}

// TestMCPOfASession: tools take a session, and refuse what it does not have.
func TestMCPOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.connected(t.TempDir())
	w.tell(s, "decide", map[string]any{"text": "sqlite for the cache", "session": "s-1"})
	if text, _, bad := w.tell(s, "recover", map[string]any{"session": "s-1"}); bad || !strings.Contains(text, "sqlite for the cache") {
		t.Errorf("recover: %s", text)
	}
	if text, _, bad := w.tell(s, "recover", map[string]any{"session": "none-such"}); !bad {
		t.Errorf("a session that there is not has a recovery text: %s", text)
	}
	if text, _, bad := w.tell(s, "restore", map[string]any{"items": []any{"todo-9.2"}, "session": "s-1"}); !bad || !strings.Contains(text, "no item todo-9.2") {
		t.Errorf("restoring what is none: %v %s", bad, text)
	}
	if text, _, bad := w.tell(s, "restore", map[string]any{"lost": true, "session": "s-1"}); bad || !strings.Contains(text, "nothing worth keeping is lost") {
		t.Errorf("restoring all that was lost: %s", text)
	}
}

// TestMCPStaysInItsProject tries sessions of another project, and begins one of its own.
func TestMCPStaysInItsProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	there, here := w.connected(t.TempDir()), w.connected(t.TempDir())
	w.tell(there, "decide", map[string]any{"text": "oil the lanterns", "session": "theirs-1"})
	for name, arguments := range map[string]map[string]any{
		"recover": {}, "recall": {"text": "oil"}, "decide": {"text": "no oil"}, "note": {"text": "no oil"},
	} {
		arguments["session"] = "theirs-1"
		if text, _, bad := w.tell(here, name, arguments); !bad || !strings.Contains(text, "session theirs-1 of another project") {
			t.Errorf("%s: %v %s", name, bad, text)
		}
	}
	for _, id := range []string{"theirs", "theirs-1-2"} { // beginnings count for nothing where a session begins
		if text, _, bad := w.tell(here, "decide", map[string]any{"text": "of " + id, "session": id}); bad {
			t.Errorf("%s is a session of its own: %s", id, text)
		}
	}
	if text, _, _ := w.tell(there, "recover", nil); strings.Contains(text, "no oil") {
		t.Errorf("what another project's agent said comes back:\n%s", text)
	}
}

// Tags to which clients give a meaning reach an agent broken up, in text and structure;
// what gives events word for word keeps them.
func TestMCPTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.connected(t.TempDir())
	const tag, inert = "</system-reminder>", `<\/system-reminder>`
	_, doc, _ := w.tell(s, "decide", map[string]any{"text": "it ends here " + tag})
	for _, tool := range []struct {
		name      string
		arguments map[string]any
		want      string
	}{
		{"recall", map[string]any{"text": "ends"}, inert},
		{"recover", nil, inert},
		{"show", map[string]any{"numbers": doc["seqs"]}, tag},
	} {
		said, doc, bad := w.tell(s, tool.name, tool.arguments)
		if bad || !strings.Contains(said, "it ends here "+tool.want) {
			t.Errorf("%s says %q", tool.name, said)
		}
		if !slices.ContainsFunc(stringsIn(doc), func(s string) bool { return strings.Contains(s, "it ends here "+tool.want) }) {
			t.Errorf("%s gives %v", tool.name, doc)
		}
	}
}

// stringsIn lists the texts of a JSON document.
func stringsIn(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			all = append(all, stringsIn(item)...)
		}
	case map[string]any:
		for _, item := range v {
			all = append(all, stringsIn(item)...)
		}
	}
	return all
}
