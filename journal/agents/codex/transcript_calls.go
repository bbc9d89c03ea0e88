package codex

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
)

// call is a tool call.
type call struct {
	tool, use  string // members of the hook's payload: the tool's name, and the id of the call
	input      any    // member of the hook's payload
	command    string // "" if the call is not a command
	declined   bool   // an item reports that the person refused the call
	background bool   // the command continues while the model works
	unhooked   bool   // no hook reports the end of the call
	person     bool   // the person ran the command
	fault      string // the call's error in an item, "" if the call did not fail
	row        string // id of the call's row
	at         time.Time
}

// shell is the name that hooks use for every tool that runs a command.
const shell = "Bash"

// response handles a response_item row: a part of the conversation.
func (r *reader) response(row row) {
	switch p := row.Payload; p.Type {
	case "message":
		r.usage.summarizing = r.usage.summarizing || row.Metadata.Summary
	case "function_call", "custom_tool_call", "local_shell_call":
		if c, ok := callOf(p); ok {
			r.Words.Called(c.tool, c.use)
			c.row, c.at = row.id, r.At
			r.calls.Put(c.use, c)
			r.known.Put(c.use, true)
		}
	case "function_call_output", "custom_tool_call_output":
		if c, ok := r.calls.Take(p.Call); ok {
			r.output(row, c)
		}
	case "web_search_call":
		r.Words.Called("web_search", p.ID)
		r.addHookStep(row, "PostToolUse", payloadMembers{"tool_name": "web_search", "tool_use_id": p.ID, "tool_input": p.Action})
	}
}

// callOf returns the call in a row. ok is false for input to a running command, for a local_shell_call without a command, and for another
// call without an id.
func callOf(p rowPayload) (c call, ok bool) {
	if p.Type == "local_shell_call" {
		var action struct {
			Command json.RawMessage `json:"command"`
		}
		_ = json.Unmarshal(p.Action, &action) // the command of other actions stays empty
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
	_ = json.Unmarshal([]byte(p.Arguments), &in) // fields stay empty for tools with other arguments
	switch p.Name {
	case "write_stdin":
		return c, false
	case "spawn_agent":
		c.tool = p.Name // for this tool, hooks omit the namespace
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

// commandOf returns a command from JSON: a string or a list of words. It returns "" for any other value.
func commandOf(b json.RawMessage) (command string) {
	var words []string
	if json.Unmarshal(b, &words) == nil {
		return commandLine(words)
	}
	_ = json.Unmarshal(b, &command) // stays empty for other values
	return command
}

// shells lists the programs whose argument after -c, or after several letters that end in c, is a command line.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "pwsh", "powershell"}

// commandLine returns COMMAND for words of the form bash -lc COMMAND, and other words joined by spaces.
func commandLine(words []string) string {
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		program := words[0][strings.LastIndexAny(words[0], `/\`)+1:]
		if slices.Contains(shells, strings.TrimSuffix(strings.ToLower(program), ".exe")) {
			return words[2]
		}
	}
	return strings.Join(words, " ")
}

// decline records that the person refused the call with an id.
func (r *reader) decline(use string) {
	if c, ok := r.calls.Get(use); ok {
		c.declined = true
		r.calls.Put(use, c)
	}
}

// commandItem handles the item of an ended command.
func (r *reader) commandItem(row row, item item) {
	if c, ok := r.calls.Take(item.ID); ok {
		r.commandEnd(row, c, item)
		return
	}
	person := item.Source == "user_shell"
	if item.Source == "unified_exec_interaction" || !person && !r.addCall(item, shell) {
		return
	}
	command := commandOf(item.Command)
	if item.Output == "" {
		item.Output = item.Stdout + item.Stderr
	}
	s := r.commandEnd(row, call{tool: shell, use: item.ID, command: command, input: payloadMembers{"command": command}, unhooked: true, person: person}, item)
	if s != nil && !person && item.Exit == nil {
		fail(s, item, item.Output)
	}
}

// commandEnd reports the end of a command with its exit code, which the hook does not have. A watcher reports only the exit codes of
// failures, and the commands that no hook reports. The result is nil if no step is reported.
func (r *reader) commandEnd(row row, c call, item item) *transcript.Step {
	what := "PostToolUse"
	if c.person {
		what += " person"
	}
	s := r.addResult(row, c, what, item.Output)
	if s == nil {
		return nil
	}
	t := s.Report.Hook.Tool
	t.Millis, t.Person = item.millis(), c.person
	s.Sure = s.Sure && !c.unhooked
	if item.Exit != nil {
		setExit(t, *item.Exit, item.Output)
	}
	if c.unhooked {
		return s
	}
	hasExit := t.Failed && !t.Aborted && t.Exit > 0 && t.Action == events.RunCommand
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

// exitOf returns a step with the exit code of a command. It completes s, the step of the command's hook.
func exitOf(s transcript.Step) transcript.Step {
	s.What, s.After, s.Report.Key, s.Sure = "exit", s.Report.Key, "", false
	s.Report.Hook.Kind, s.Report.Hook.Rest = events.CommandExit, nil
	return s
}

// setExit records the exit code of a command: a failure, or a mark of failure in the output if the code is 0. The code of a killed
// process is negative.
func setExit(t *events.ToolCall, exit int, output string) {
	t.Mark = ""
	switch {
	case exit < 0:
		t.Failed, t.Aborted = true, true
	case exit > 0:
		agents.SetExit(t, exit)
	case t.Action == events.RunCommand:
		var s failure.Scanner
		_, _ = s.Write([]byte(output)) // never fails
		t.Mark = redact.Text(s.Mark(t.Command))
	}
}

// reportKilled reports the commands without an end as failed. It is called when another turn or process has begun: the client was killed
// while the commands ran.
func (r *reader) reportKilled() {
	now := r.At
	for _, c := range r.calls.TakeAll() {
		if c.background || c.tool != shell {
			r.calls.Put(c.use, c)
			continue
		}
		r.At = c.at
		if s := r.addResult(row{id: c.row}, c, "PostToolUse", ""); s != nil {
			s.Sure, s.Report.Hook.Tool.Failed, s.Report.Hook.Tool.Error = false, true, "interrupted: the client ended while it ran"
		}
	}
	r.At = now
}

// output handles a row with the result of the call c in the conversation.
func (r *reader) output(row row, c call) {
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
		case ended:
			r.commandEnd(row, c, item{Output: output, Exit: &exit})
			return
		}
		failed = true
	case "apply_patch":
		failed = !strings.HasPrefix(text, "Exit code: ")
	case "view_image":
		failed = row.Payload.Output.Plain
	}
	failed = failed || c.declined || c.fault != "" || strings.HasPrefix(text, "unsupported call: ") || strings.HasPrefix(text, "unsupported custom tool call: ")
	s := r.addResult(row, c, "PostToolUse", text)
	if s == nil {
		return
	}
	t := s.Report.Hook.Tool
	if failed {
		s.Sure = false // no hook reports a failed call
		t.Failed, t.Error, t.Output, t.Mark = true, redact.Text(failure.CleanOutput(text)), "", ""
		switch {
		case c.declined || strings.Contains(text, "rejected by user"):
			t.Refused = true
		case isBlocked(text):
			t.Aborted = true
		case c.tool != shell && strings.HasSuffix(text, "aborted by user"):
			// The person refused the call in a dialog, or stopped it while it ran: the client has the same text for both.
			t.Aborted = true
		}
	}
	if r.Watching && (!t.Failed || t.Aborted) {
		r.Pending = r.Pending[:len(r.Pending)-1]
	}
}

// isBlocked reports whether the text about a failed call means that a hook, a rule or the client's review of risks kept it from running.
func isBlocked(text string) bool {
	_, fault, _ := strings.Cut(text, "`: CreateProcess ")
	return strings.HasPrefix(fault, `{ message: "Rejected(`) || slices.ContainsFunc([]string{
		"Command blocked by PreToolUse hook: ", "Tool call blocked by PreToolUse hook: ", "This action was rejected due to unacceptable risk.",
	}, func(begin string) bool { return strings.HasPrefix(text, begin) })
}

// addResult adds the step of a call's end, and returns it. what is Step.What. The result is nil if the payload is broken.
func (r *reader) addResult(row row, c call, what, output string) *transcript.Step {
	r.begin(row)
	return r.addStep(row, what, "PostToolUse", payloadMembers{"tool_name": c.tool, "tool_use_id": c.use, "tool_input": c.input, "tool_response": output})
}

// state is the state of a command, as the text about the command shows it.
type state uint8

const (
	unstarted state = iota // the command did not run
	running
	ended
)

// outputOf parses the text about a command for the model: lines about the run, "Output:", and the output. Clients of 2025 wrote JSON
// instead. Of a command that did not run it returns the whole text.
func outputOf(text string) (exit int, output string, s state) {
	var old struct {
		Output   string `json:"output"`
		Metadata *struct {
			Exit int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &old) == nil && old.Metadata != nil {
		return old.Metadata.Exit, old.Output, ended
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
					return n, output, ended
				}
			}
		}
	}
	return 0, text, unstarted
}
