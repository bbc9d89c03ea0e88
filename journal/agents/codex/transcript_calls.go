package codex

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// call is a tool call. tool, use and input are the members of its hook's payload.
type call struct {
	tool, use  string
	input      any
	command    string // "" if it is not a command
	declined   bool   // the person refused it, as the client reports
	background bool   // it continues while the model works
	unhooked   bool   // no hook reports its end
	person     bool   // the person ran it
	fault      string // its error in an item, "" if it did not fail
	row        string // id of its row
	at         time.Time
}

// shell is the name, in hooks, of every tool that runs a command.
const shell = "Bash"

// response handles a response_item row.
func (r *reader) response(row row) {
	switch p := row.Payload; p.Type {
	case "message":
		r.usage.summarizing = r.usage.summarizing || row.Metadata.Summary
	case "function_call", "custom_tool_call", "local_shell_call":
		if c, ok := callOf(p); ok {
			r.Words.Called(c.tool)
			c.row, c.at = row.id, r.At
			r.calls.Put(c.use, c)
			r.known.Put(c.use, true)
		}
	case "function_call_output", "custom_tool_call_output":
		if c, ok := r.calls.Take(p.Call); ok {
			r.answered(row, c)
		}
	case "web_search_call":
		r.Words.Called("web_search")
		r.addHookStep(row, "PostToolUse", payloadMembers{"tool_name": "web_search", "tool_use_id": p.ID, "tool_input": p.Action})
	}
}

// callOf returns the call of a row. It returns false for input to a running command, and for a call without an id or a command.
func callOf(p item) (c call, ok bool) {
	if p.Type == "local_shell_call" {
		var action struct {
			Command json.RawMessage `json:"command"`
		}
		_ = json.Unmarshal(p.Action, &action) // other actions have no command
		command := commandOf(action.Command)
		return call{tool: shell, use: cmp.Or(p.Call, p.ID), command: command, input: payloadMembers{"command": command}}, command != ""
	}
	c = call{tool: p.Namespace + p.Name, use: p.Call, input: p.Arguments}
	if json.Valid([]byte(p.Arguments)) {
		c.input = json.RawMessage(p.Arguments)
	}
	var in struct {
		Cmd     string          `json:"cmd"`
		Command json.RawMessage `json:"command"`
		Input   string          `json:"input"`
	}
	_ = json.Unmarshal([]byte(p.Arguments), &in) // other tools have other arguments
	switch p.Name {
	case "write_stdin":
		return c, false
	case "spawn_agent":
		c.tool = p.Name // in hooks, the names of other tools have their namespace
	case "exec_command", "shell", "shell_command":
		c.tool, c.command = shell, in.Cmd
		if c.command == "" {
			c.command = commandOf(in.Command)
		}
		c.input = payloadMembers{"command": c.command}
	case "apply_patch":
		if p.Type == "custom_tool_call" {
			in.Input = p.Input
		}
		c.input = payloadMembers{"command": in.Input}
	}
	return c, c.use != ""
}

// commandOf returns a command, which is a string or a list of words in JSON. It is "" for any other value.
func commandOf(b json.RawMessage) (command string) {
	var words []string
	if json.Unmarshal(b, &words) == nil {
		return commandLine(words)
	}
	_ = json.Unmarshal(b, &command) // stays empty
	return command
}

// commandLine returns the command in words such as bash -lc COMMAND, or else the joined words.
func commandLine(words []string) string {
	if n := len(words); n == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// decline records that the person refused a call.
func (r *reader) decline(use string) {
	if c, ok := r.calls.Take(use); ok {
		c.declined = true
		r.calls.Put(use, c)
	}
}

// executed handles the item of a command.
func (r *reader) executed(row row, it completed) {
	if c, ok := r.calls.Take(it.ID); ok {
		r.ended(row, c, it)
		return
	}
	person := it.Source == "user_shell"
	if it.Source == "unified_exec_interaction" || !person && !r.isNewCall(it, shell) {
		return
	}
	command := commandOf(it.Command)
	if it.Output == "" {
		it.Output = it.Stdout + it.Stderr
	}
	s := r.ended(row, call{tool: shell, use: it.ID, command: command, input: payloadMembers{"command": command}, unhooked: true, person: person}, it)
	if s != nil && !person && it.Exit == nil {
		fail(s, it, it.Output)
	}
}

// ended reports the end of a command, whose hook has no exit code. A watcher reports only the exit codes of failures, and commands
// that no hook reports. The result is nil if nothing is reported.
func (r *reader) ended(row row, c call, it completed) *transcript.Step {
	what := "PostToolUse"
	if c.person {
		what += " person"
	}
	s := r.result(row, c, what, it.Output)
	if s == nil {
		return nil
	}
	t := s.Report.Hook.Tool
	t.Millis, t.Person = it.millis(), c.person
	s.Sure = s.Sure && !c.unhooked
	if it.Exit != nil {
		setExit(t, *it.Exit, it.Output)
	}
	if c.unhooked {
		return s
	}
	hasExit := t.Failed && !t.Void && t.Exit > 0 && t.Action == events.RunCommand
	exit := exitOf(*s)
	switch {
	case hasExit && r.Watching:
		*s = exit
	case hasExit:
		s.Late = &exit
	case r.Watching:
		r.Pending = r.Pending[:len(r.Pending)-1]
		return nil
	}
	return s
}

// exitOf returns a step with the exit code of a command, which completes the step s of its hook.
func exitOf(s transcript.Step) transcript.Step {
	s.What, s.After, s.Report.Key, s.Sure = "exit", s.Report.Key, "", false
	s.Report.Hook.Kind, s.Report.Hook.Rest = events.CommandExit, nil
	return s
}

// setExit sets the exit code of a command. It is negative for a killed process.
func setExit(t *events.ToolCall, exit int, output string) {
	t.Mark = ""
	switch {
	case exit < 0:
		t.Failed, t.Void = true, true
	case exit > 0:
		agents.SetExit(t, exit)
	case t.Action == events.RunCommand:
		var s failure.Scanner
		_, _ = s.Write([]byte(output)) // never fails
		t.Mark = redact.Text(s.Mark(t.Command))
	}
}

// reportKilled reports commands without an end as failed, when another turn or process has begun: the client was killed while they
// ran.
func (r *reader) reportKilled() {
	now := r.At
	for _, c := range r.calls.Rest() {
		if c.background || c.tool != shell {
			r.calls.Put(c.use, c)
			continue
		}
		r.At = c.at
		if s := r.result(row{id: c.row}, c, "PostToolUse", ""); s != nil {
			s.Sure, s.Report.Hook.Tool.Failed, s.Report.Hook.Tool.Error = false, true, "interrupted: the client ended while it ran"
		}
	}
	r.At = now
}

// answered handles the result of a call in the conversation.
func (r *reader) answered(row row, c call) {
	text := row.Payload.Output.Text
	failed := false
	switch c.tool {
	case shell:
		exit, output, state := outputOf(text)
		switch state {
		case running:
			c.background = true
			r.calls.Put(c.use, c) // an item will report its end
			return
		case over:
			r.ended(row, c, completed{Output: output, Exit: &exit})
			return
		}
		failed = true
	case "apply_patch":
		failed = !strings.HasPrefix(text, "Exit code: ")
	case "view_image":
		failed = row.Payload.Output.Plain
	}
	failed = failed || c.declined || c.fault != "" || strings.HasPrefix(text, "unsupported call: ") || strings.HasPrefix(text, "unsupported custom tool call: ")
	s := r.result(row, c, "PostToolUse", text)
	if s == nil {
		return
	}
	t := s.Report.Hook.Tool
	if failed {
		s.Sure = false // no hook reports it
		t.Failed, t.Error, t.Output, t.Mark = true, redact.Text(failure.CleanOutput(text)), "", ""
		switch {
		case c.declined || strings.Contains(text, "rejected by user"):
			t.Refused = true
		case c.tool != shell && strings.HasSuffix(text, "aborted by user"):
			// The person refused the call in a dialog, or stopped it while it ran: the client has the same text for both.
			t.Void = true
		}
	}
	if r.Watching && (!t.Failed || t.Void) {
		r.Pending = r.Pending[:len(r.Pending)-1]
	}
}

// result adds the step of a call's end. It returns nil if its row is broken.
func (r *reader) result(row row, c call, what, output string) *transcript.Step {
	r.begin(row)
	return r.addStep(row, what, "PostToolUse", payloadMembers{"tool_name": c.tool, "tool_use_id": c.use, "tool_input": c.input, "tool_response": output})
}

// state is the state of a command in the text about it.
type state uint8

const (
	unstarted state = iota // it did not run
	running
	over // it has ended
)

// outputOf parses the text about a command for the model: lines about the run, "Output:", and the output. Clients of 2025 wrote JSON.
func outputOf(text string) (exit int, output string, s state) {
	var old struct {
		Output   string `json:"output"`
		Metadata *struct {
			Exit int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &old) == nil && old.Metadata != nil {
		return old.Metadata.Exit, old.Output, over
	}
	head, output, found := strings.Cut(text, "\nOutput:\n")
	if !found {
		return 0, text, unstarted
	}
	for l := range strings.Lines(head) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "Process running with session ID ") {
			return 0, output, running
		}
		for _, before := range []string{"Process exited with code ", "Exit code: "} {
			if code, ok := strings.CutPrefix(l, before); ok {
				if n, err := strconv.Atoi(code); err == nil {
					return n, output, over
				}
			}
		}
	}
	return 0, text, unstarted
}
