package claude_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"journal/events"
	"journal/journal/agents"
)

// shuffled encodes v with the members of all objects in a random order.
func shuffled(t testing.TB, v any, r *rand.Rand) []byte {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		var members [][]byte
		for k, value := range v {
			members = append(members, slices.Concat(encode(t, k), []byte(": "), shuffled(t, value, r)))
		}
		slices.SortFunc(members, bytes.Compare)
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return slices.Concat([]byte("{ "), bytes.Join(members, []byte(" , ")), []byte("}"))
	case []any:
		var items [][]byte
		for _, value := range v {
			items = append(items, shuffled(t, value, r))
		}
		return slices.Concat([]byte("["), bytes.Join(items, []byte(",\n")), []byte("]"))
	}
	return encode(t, v)
}

// TestKeyOfOneFact: two reports of one fact have the same key, whatever the order of members, the time and the
// environment.
func TestKeyOfOneFact(t *testing.T) {
	t.Parallel()
	elsewhere := agents.Env{
		Getenv: func(k string) string { return map[string]string{"CLAUDE_PID": "9", "CLAUDE_PROJECT_DIR": "/else"}[k] },
		Now:    time.Unix(1, 0),
	}
	r := rand.New(rand.NewPCG(7, 1))
	for _, s := range samples(t, "") {
		want := read(t, s.Body).Key
		for range 3 {
			body := shuffled(t, parse(t, s.Body), r)
			if got := dialect(t).Read(bytes.NewReader(body), elsewhere).Key; got != want {
				t.Errorf("%s: key %s, reordered %s", s.Name, want, got)
			}
		}
	}
}

// TestKeysOfTwoFacts: two facts have different keys: each sample with any member changed, and any two samples of one
// session.
func TestKeysOfTwoFacts(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, s := range samples(t, "") {
		rep := read(t, s.Body)
		canonical := string(encode(t, parse(t, s.Body)))
		if other, ok := seen[rep.Key]; ok && other != canonical {
			t.Errorf("%s: key of another sample", s.Name)
		}
		seen[rep.Key] = canonical
		if strings.HasPrefix(rep.Key, events.ToolKey) {
			continue // the call's id alone decides
		}
		everyPlace(parse(t, s.Body), "", func(doc func(any) any, at string) {
			if matches(skipped, at) {
				return
			}
			if other := read(t, encode(t, doc("something else"))); other.Key == rep.Key {
				t.Errorf("%s: %s does not change the key", s.Name, at)
			}
		})
	}
}

// TestKeyOfTexts: texts that differ anywhere give different keys, even if a text looks like the syntax of the payload.
func TestKeyOfTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfNDistinct(rapid.StringMatching(`[a"\\,:{}\x00-\x03]{0,6}`), 2, 2, rapid.ID).Draw(rt, "texts")
		key := func(a, b string) string {
			return read(t, payloadWith(t, "UserPromptSubmit", map[string]any{"prompt": a, b: "x"})).Key
		}
		if key(texts[0], "n") == key(texts[1], "n") {
			rt.Error("one key for two prompts")
		}
		if key("p", "n"+texts[0]) == key("p", "n"+texts[1]) {
			rt.Error("one key for two names")
		}
	})
}

// TestKeyOfToolCall: the start, the end and the failure of one tool call are three facts; the rest of their payloads is
// not part of their identity.
func TestKeyOfToolCall(t *testing.T) {
	t.Parallel()
	key := func(event, use, command string) string {
		members := map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": command}}
		if use != "" {
			members["tool_use_id"] = use
		}
		return read(t, payloadWith(t, event, members)).Key
	}
	all := map[string]bool{}
	for _, event := range []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"} {
		for _, use := range []string{"toolu_1", "toolu_2"} {
			k := key(event, use, "ls")
			all[k] = true
			if !strings.HasPrefix(k, events.ToolKey) || k != key(event, use, "ls -l") {
				t.Errorf("%s %s: key %s", event, use, k)
			}
		}
	}
	if len(all) != 6 {
		t.Errorf("%d keys of six facts", len(all))
	}
	// Old clients give calls no id (docs/CLIENTS.md §11).
	if k := key("PostToolUse", "", "ls"); !strings.HasPrefix(k, events.PayloadKey) || k == key("PostToolUse", "", "ls -l") || k != key("PostToolUse", "", "ls") {
		t.Errorf("without an id: key %s", k)
	}
}

// TestKeyOfBrokenPayload: a payload that broke off has another key than the whole one: otherwise the complete report of
// the call would be hidden as its echo.
func TestKeyOfBrokenPayload(t *testing.T) {
	t.Parallel()
	body := bytes.TrimSpace(named(t, "captured/PostToolUse.Bash"))
	broken := read(t, body[:len(body)-1])
	if broken.Hook.Broken == "" || broken.Key == read(t, body).Key {
		t.Errorf("broken %q, key %s", broken.Hook.Broken, broken.Key)
	}
	if !json.Valid(broken.Hook.Rest) {
		t.Errorf("rest %s", broken.Hook.Rest)
	}
}
