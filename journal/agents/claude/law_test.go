package claude_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"journal/events"
	"journal/journal/agents"
)

// clientEvents are the events of the client (docs/CLIENTS.md §1).
var clientEvents = strings.Fields(`
	PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
	UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact
	PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle
	TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove
	InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay PreSkillShellCommand`)

// TestClaudeEverySampled: every event of the client has a sample, so that the laws below cover it.
func TestClaudeEverySampled(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range samples(t, "") {
		seen[read(t, s.Body).Hook.Native] = true
	}
	for _, event := range clientEvents {
		if !seen[event] {
			t.Errorf("no sample of %s", event)
		}
	}
	if len(clientEvents) != 34 {
		t.Errorf("%d events, want 34", len(clientEvents))
	}
}

// skipped lists the members that are never kept, whatever they hold: file contents, which are on disk while the tool's
// input has the changes; lists that the input or the previous event has; and private data. They are patterns of
// path.Match.
var skipped = []string{
	"tool_response.originalFile", "tool_response.original_file", "tool_response.updated_file",
	"tool_response.oldString", "tool_response.newString", "tool_response.structuredPatch*",
	"tool_response.file.content", "tool_response.file.base64", "tool_response.file.cells*",
	"tool_response.oldTodos*", "tool_response.newTodos*",
	"user_email",
}

// known lists texts that are not stored because stored data implies them, or because they are empty: patterns of
// event/tool/path.
var known = []string{
	"*/*/transcript_path",                               // the same through a session; its starts have it
	"*/*/hook_event_name",                               // the type of the event implies it
	"SessionStart/*/source",                             // compact: so here,
	"PostToolUse*/*/tool_name",                          // and where one tool gives such events
	"*/*/cwd",                                           // the root
	"PostToolUse/Write/tool_response.content",           // the content of the input
	"PostToolUse/NotebookEdit/tool_response.new_source", // so is this
	"*/*/tool_input", "*/*/tool_response",               // {}
	"PostToolUse/Bash/tool_response.std*",   // ""
	`PostToolUse/Bash/tool_response\[0].t*`, // an editor's: how the command went, and its output
	`PostToolUse/Edit/tool_response\[0].t*`, // an editor's: a patch of the input
	"PreCompact/*/custom_instructions",      // null
	"PostCompact/*/compact_summary",         // ""
}

func matches(patterns []string, at string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, at)
		if err != nil {
			panic(err)
		}
		return ok
	})
}

// leaf is a scalar or an empty collection of a payload.
type leaf struct {
	path  string
	value any
}

func leaves(v any, at string) []leaf {
	var all []leaf
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			all = append(all, leaves(v[k], strings.TrimPrefix(at+"."+k, "."))...)
		}
		if len(v) == 0 {
			all = []leaf{{at, "{}"}}
		}
	case []any:
		for i := range v {
			all = append(all, leaves(v[i], at+"["+strconv.Itoa(i)+"]")...)
		}
		if len(v) == 0 {
			all = []leaf{{at, "[]"}}
		}
	default:
		all = []leaf{{at, v}}
	}
	return all
}

// parse keeps numbers as written.
func parse(t testing.TB, b []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, b)
	}
	return v
}

// kept returns what is stored of a report: the leaves of the rest by path, and the values of its events and envelopes.
func kept(t testing.TB, rep agents.Report) (rest map[string]any, values map[string]bool) {
	t.Helper()
	rest, values = map[string]any{}, map[string]bool{}
	if rep.Hook.Rest != nil {
		for _, l := range leaves(parse(t, rep.Hook.Rest), "") {
			rest[l.path] = l.value
		}
	}
	h := rep.Hook
	around := []any{h.Session, h.Lane, h.Turn}
	for _, e := range events.Recognise(h) {
		around = append(around, parse(t, encode(t, e)))
	}
	for _, l := range leaves(around, "") {
		values[fmt.Sprint(l.value)] = true
	}
	return rest, values
}

// place names a place in the payload of a report, for the patterns of known.
func place(rep agents.Report, at string) string {
	tool := "-"
	if rep.Hook.Tool != nil {
		tool = rep.Hook.Tool.Name
	}
	return rep.Hook.Native + "/" + tool + "/" + at
}

// TestClaudeNothingLost: nothing of a payload is lost: every leaf is in the rest under its own path, in an event or an
// envelope, or is dropped on purpose.
func TestClaudeNothingLost(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t, "") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			rep := read(t, s.Body)
			rest, values := kept(t, rep)
			for _, l := range leaves(parse(t, s.Body), "") {
				text := fmt.Sprint(l.value)
				in, ok := rest[l.path]
				switch {
				case ok && fmt.Sprint(in) != text:
					t.Errorf("%s is %v in the rest, was %v", l.path, in, l.value)
				case ok, values[text]:
				case matches(skipped, l.path), matches(known, place(rep, l.path)):
				default:
					t.Errorf("%s = %v is kept nowhere", l.path, l.value)
				}
			}
		})
	}
}

// TestClaudeNewShapesKept: the same if the client changes the shape of any member, or adds one.
func TestClaudeNewShapesKept(t *testing.T) {
	t.Parallel()
	const mark = "zq-7781-new"
	shapes := []any{mark, []any{mark}, map[string]any{"new": mark}, []any{map[string]any{"content": []any{mark}}}}
	for _, s := range samples(t, "") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			whole := read(t, s.Body)
			places := 0
			everyPlace(parse(t, s.Body), "", func(doc func(any) any, at string) {
				places++
				if matches(skipped, at) {
					return
				}
				for _, shape := range shapes {
					if shape == mark && matches(known, place(whole, at)) {
						continue // a text is today's shape
					}
					body := encode(t, doc(shape))
					rest, values := kept(t, read(t, body))
					found := false
					for v := range values {
						found = found || strings.Contains(v, mark)
					}
					for _, v := range rest {
						found = found || v == mark
					}
					if !found {
						t.Errorf("%s = %v is kept nowhere", at, shape)
					}
				}
			})
			if places < 3 {
				t.Errorf("only %d places", places)
			}
		})
	}
}

// everyPlace calls f for each member and element of a document, with a function that returns a copy of the document
// with another value there, and once for each object with an added member.
func everyPlace(v any, at string, f func(doc func(any) any, at string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range append(slices.Sorted(maps.Keys(v)), "not_yet_known") {
			put := func(value any) any {
				with := maps.Clone(v)
				with[k] = value
				return with
			}
			below := strings.TrimPrefix(at+"."+k, ".")
			f(put, below)
			everyPlace(v[k], below, func(doc func(any) any, at string) {
				f(func(value any) any { return put(doc(value)) }, at)
			})
		}
	case []any:
		for i := range v {
			put := func(value any) any {
				with := slices.Clone(v)
				with[i] = value
				return with
			}
			below := at + "[" + strconv.Itoa(i) + "]"
			f(put, below)
			everyPlace(v[i], below, func(doc func(any) any, at string) {
				f(func(value any) any { return put(doc(value)) }, at)
			})
		}
	}
}
