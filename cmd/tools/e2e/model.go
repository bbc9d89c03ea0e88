package main

import (
	"encoding/json"
	"net/http"
	"sync"
)

// call is a call of a tool that the model makes. The client's file spells it.
type call struct {
	Shell string         // a command
	Asks  bool           // whether the person has to be asked about it, for clients that decide by the call
	Write []string       // path below the project, and text
	Ask   []string       // a question, and its answers to choose from
	Tool  string         // of our MCP server
	Own   string         // a tool of the client's, for the client whose file has it
	With  map[string]any // what Tool or Own gets
	Todo  string         // an open task for the agent's own list, where the client's file has Tasks
}

// step is one answer of the model to the agent.
type step struct {
	Calls  []call
	Text   string
	Tokens int // reported as the size of the context, by which the client decides to compact
}

// request is what the model got.
type request struct {
	Kind string // agent, summary, side
	Text string // everything in it
}

// model is the scripted model behind a client's server. It is safe for concurrent use.
type model struct {
	project string // for clients that take only whole paths

	mu    sync.Mutex
	steps []step
	sent  int // answers so far, for ids
	got   []request
}

// summary is the model's answer when it is asked to summarise. It has nothing of what the journal has to restore.
const summary = "The lighthouse is being built. It goes on."

// play replaces the steps that are left of the script.
func (m *model) play(steps ...step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps = steps
}

// left returns the number of steps that were not requested.
func (m *model) left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.steps)
}

// answer records a request and returns the answer: for one of the agent's the next step, for others a text; and the answer's
// number, from 1.
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

// events writes server-sent events, each with its type where it has one.
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
