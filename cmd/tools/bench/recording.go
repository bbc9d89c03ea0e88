package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// payload is the JSON that a client sends to a hook.
type payload map[string]any

// with returns a copy with other values of some fields.
func (p payload) with(fields payload) payload {
	other := maps.Clone(p)
	maps.Copy(other, fields)
	return other
}

// recording has the payloads of the hooks of a session of a real client, in their order.
type recording []payload

// load reads a recording, one payload per line, with the paths of its project replaced by root.
func load(path, root string) (r recording) {
	b := bytes.ReplaceAll(must(os.ReadFile(path)), []byte("/home/dev/project"), []byte(filepath.ToSlash(root)))
	for dec := json.NewDecoder(bytes.NewReader(b)); dec.More(); {
		var p payload
		check(dec.Decode(&p))
		r = append(r, p)
	}
	return r
}

// named returns the hooks of one kind.
func (r recording) named(event string) (some recording) {
	for _, p := range r {
		if p["hook_event_name"] == event {
			some = append(some, p)
		}
	}
	return some
}

// toolCall returns the n-th tool call of a session: a recorded one with a new id, because the same call would be an echo.
func (r recording) toolCall(session string, n int) payload {
	tools := r.named("PostToolUse")
	return tools[n%len(tools)].with(payload{"session_id": session, "tool_use_id": fmt.Sprintf("toolu_%.8s%016x", session, n)})
}

// write returns the n-th tool call of a session as one that wrote a file, with a payload of about size bytes. The client sends the
// content of a new file twice, in the input and in the response.
func (r recording) write(session string, n, size int) payload {
	content := source(uint64(n), size/2)
	path := filepath.Join(fmt.Sprint(r[0]["cwd"]), "table.go")
	return r.toolCall(session, n).with(payload{
		"tool_name":     "Write",
		"tool_input":    payload{"file_path": path, "content": content},
		"tool_response": payload{"type": "create", "filePath": path, "content": content, "structuredPatch": []any{}, "originalFile": nil},
	})
}

// source returns a text of about size bytes that looks like a program, with lines, quotes and identifiers; the same for the same
// seed.
func source(seed uint64, size int) string {
	words := strings.Fields("limiter bucket token refill allow window clock burst count rate test error return value state")
	rnd := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for b.Len() < size {
		w := words[rnd.IntN(len(words))]
		fmt.Fprintf(&b, "\tif %s%d := %q; len(%s%d) > %d {\n\t\treturn %s\n\t}\n",
			w, rnd.IntN(1000), words[rnd.IntN(len(words))], w, rnd.IntN(1000), rnd.IntN(1e6), words[rnd.IntN(len(words))])
	}
	return b.String()
}
