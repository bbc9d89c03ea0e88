package main

import (
	"encoding/json"
	"net/http"
	"sync"
)

// call is a tool call of the model. Each client's file has a function that encodes it.
type call struct {
	Shell string         // a command
	Asks  bool           // whether the person must be asked, for clients where the call decides that
	Write []string       // path below the project, and content of a file to write
	Ask   []string       // a question for the person, and the answers to choose from
	Tool  string         // a tool of journal's MCP server
	Own   string         // a tool of the client
	With  map[string]any // arguments of Tool or Own
	Todo  string         // an open task for the agent's list, for clients with Tasks
}

// step is an answer of the model to the agent.
type step struct {
	Calls  []call
	Text   string
	Tokens int // the reported size of the context, by which the client decides to compact
}

// request is a request to the model.
type request struct {
	Kind string // agent, summary, or side for any other
	Text string // the whole body
}

// model is the scripted model behind a client's server. It is safe for concurrent use.
type model struct {
	project string // directory, for clients that need absolute paths

	mu    sync.Mutex
	steps []step    // the rest of the script
	sent  int       // number of answers so far, for ids
	got   []request // all requests
}

// summary is the model's answer to a request for a summary. It has nothing that the journal must restore.
const summary = "The lighthouse is being built. It goes on."

// play replaces the rest of the script.
func (m *model) play(steps ...step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps = steps
}

// left returns the number of steps that are left of the script.
func (m *model) left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.steps)
}

// answer records a request and returns the answer, and its number from 1. A request of the kind agent gets the next step of the
// script, any other a text.
func (m *model) answer(kind, text string) (s step, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.got = append(m.got, request{kind, text})
	m.sent++
	switch {
	case kind == "summary":
		return step{Text: summary, Tokens: 1000}, m.sent
	case kind != "agent":
		return step{Text: "lighthouse", Tokens: 100}, m.sent
	case len(m.steps) == 0:
		return step{Text: "Nothing is left to do.", Tokens: 1000}, m.sent
	}
	s, m.steps = m.steps[0], m.steps[1:]
	return s, m.sent
}

// requests returns the requests of a kind, in order.
func (m *model) requests(kind string) (all []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.got {
		if r.Kind == kind {
			all = append(all, r.Text)
		}
	}
	return all
}

// last returns the newest request of a kind, "" without one.
func (m *model) last(kind string) string {
	all := m.requests(kind)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// events writes server-sent events. If named is set, each has a line with its type.
func events(w http.ResponseWriter, named bool, all ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		b, _ := json.Marshal(e) // of strings, numbers and maps
		if named {
			_, _ = w.Write([]byte("event: " + e["type"].(string) + "\n"))
		}
		_, _ = w.Write([]byte("data: " + string(b) + "\n\n"))
	}
}

// encoded returns a value as JSON.
func encoded(v any) string {
	b, _ := json.Marshal(v) // of strings, numbers and maps
	return string(b)
}
