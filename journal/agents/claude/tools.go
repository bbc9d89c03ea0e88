package claude

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// toolCall reads the tool call of a hook, and its changes to the task list. It returns the parts of the call's input and response
// that no event has.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	name := p.From.Get("tool_name").Str()
	t := &events.ToolCall{Name: native(name), Use: p.From.Get("tool_use_id").Str(), Action: events.OtherTool}
	h.Tool = t
	if h.Kind == events.ToolStart { // the event of a start has only name and id
		p.DropText("tool_name", "tool_use_id")
		return nil
	}
	setEnd(h, p)
	in, out := agents.Members{From: p.From.Get("tool_input")}, agents.Members{From: p.From.Get("tool_response")}
	var inMore, outMore []agents.Member
	switch t.Name {
	case "Bash", "PowerShell", "Monitor":
		shellCall(t, &in, &out, p)
	case "Read":
		agents.SetFile(h.Tool, "", events.ReadFile, &in)
		if file := (agents.Members{From: out.From.Get("file")}); file.From.Kind() == payload.Object {
			file.DropRepeated("filePath", in.From.Get("file_path").Str())
			t.From, t.To = linesOf(file.From)
			out.Drop("file")
			outMore = agents.RestMember("file", file.Rest())
		}
	case "Write":
		agents.SetFile(h.Tool, "", events.WriteFile, &in)
		out.DropRepeated("filePath", in.From.Get("file_path").Str())
		out.DropRepeated("content", in.From.Get("content").Str())
	case "Edit", "MultiEdit", "NotebookEdit":
		agents.SetFile(h.Tool, "", events.EditFile, &in)
		out.DropRepeated("filePath", in.From.Get("file_path").Str())
		out.DropRepeated("notebook_path", in.From.Get("notebook_path").Str())
		out.DropRepeated("new_source", in.From.Get("new_source").Str())
	case "Grep", "Glob":
		t.Query = in.From.Get("pattern").Str()
		if path.Ext(in.From.Get("path").Str()) != "" { // a search in one file
			t.Paths = []string{in.Text("path")}
		}
	}
	failed := t.Failed
	if !failed {
		inMore = readResponse(h, p, &in, &out)
		if t.Name != name {
			editorResponse(t, p, &out)
		}
	}
	t.Millis, _ = p.From.Get("duration_ms").Int()
	switch {
	case t.Refused: // the event of a refusal has no duration
	case failed, t.Action == events.RunCommand, t.Action == events.OtherTool:
		p.Number("duration_ms")
	}
	switch {
	case t.Name != name, t.Action == events.RunCommand && t.Name != "Bash": // the tool's name stays: no event has it
		p.DropText("tool_use_id")
	case failed, t.Action == events.RunCommand, t.Action == events.OtherTool, len(t.Paths) > 0:
		p.DropText("tool_name")
		fallthrough
	case t.Action == events.AskPerson, t.Action == events.OfferPlan, t.Action == events.RunAgent:
		p.DropText("tool_use_id")
	}
	p.Drop("tool_input", "tool_response")
	return append(
		agents.RestMember("tool_input", in.Rest(), inMore...),
		agents.RestMember("tool_response", out.Rest(), outMore...)...,
	)
}

// shellCall reads the call of a command. It ignores a call that did not run, a monitor without a command, and a command of journal.
func shellCall(t *events.ToolCall, in, out *agents.Members, p *agents.Payload) {
	command := in.From.Get("command")
	if t.Aborted || t.Name == "Monitor" && !command.Exists() || agents.IsJournalCommand(command) {
		return
	}
	t.Action, t.Command = events.RunCommand, in.Text("command")
	if t.Refused {
		return
	}
	t.About = in.Text("description")
	t.Output = joinOutput(out.Text("stdout"), out.Text("stderr"))
	t.Exit = exitCode(t.Error)
	t.Background = cmp.Or(out.Text("backgroundTaskId"), out.Text("taskId"))
	if background, _ := in.From.Get("run_in_background").Bool(); (background || t.Name == "Monitor") && !t.Failed {
		t.Background = cmp.Or(t.Background, t.Use, "unknown")
	}
	if !t.Failed && t.Background == "" {
		t.Mark = redact.Text(cmp.Or(p.Output[0].Mark(t.Command), p.Output[1].Mark(t.Command)))
	}
}

// readResponse reads a call that did not fail: a list of todos, the person's decisions, subagents, background tasks and tasks. It returns
// the parts of the input that no event has. The action of a call that has an event of its own, or changed nothing, stays OtherTool.
func readResponse(h *events.Hook, p *agents.Payload, in, out *agents.Members) (more []agents.Member) {
	t := h.Tool
	switch t.Name {
	case "TodoWrite":
		if todos := in.From.Get("todos"); todos.Kind() == payload.Array {
			t.Action = events.WriteTodos
			in.Drop("todos")
			t.Todos, more = todosOf(todos)
		}
	case "AskUserQuestion":
		if t.Answers = answersOf(in, out); t.Answers != nil {
			t.Action = events.AskPerson
		}
	case "ExitPlanMode", "exit_plan_mode":
		if t.Plan, t.File = planOf(in, out, p.Env); t.Plan != "" || t.File != "" {
			t.Action = events.OfferPlan
		}
	case "Agent", "Task":
		agentCall(t, in, out)
	case "SendMessage":
		messageCall(t, in, out)
	case "Workflow":
		workflowCall(t, in, out)
	case "TaskOutput", "BashOutput", "TaskStop", "KillShell", "KillBash":
		h.Ended = taskEnd(in.From, out.From)
	case "TaskList", "TaskGet":
		h.Tasks = listed(out.From)
	case "TaskCreate", "TaskUpdate":
		if h.Tasks = tasksOf(t.Name, in, out); h.Tasks != nil {
			t.Action = events.ChangeTask
		}
	}
	return more
}

// agentCall reads a call that started a subagent or a teammate.
func agentCall(t *events.ToolCall, in, out *agents.Members) {
	task := in.From.Get("prompt").Str()
	id := out.From.Get
	lane := cmp.Or(id("agentId").Str(), id("agent_id").Str(), id("taskId").Str()) // the latter two of teammates and of cloud sessions
	if task == "" || lane == "" {
		return
	}
	t.Action, t.Task, t.Lane = events.RunAgent, in.Text("prompt"), lane
	out.DropRepeated("agentId", lane)
	out.DropRepeated("agent_id", lane)
	out.DropRepeated("taskId", lane)
	t.About = in.Text("description")
	for part := range out.From.Get("content").Items() {
		t.Report = strings.TrimSpace(t.Report + "\n" + part.Get("text").Str())
	}
	out.DropRepeated("prompt", task)
	out.DropRepeated("description", t.About)
	switch out.From.Get("status").Str() {
	case "async_launched", "remote_launched":
		t.Background = t.Lane
	case "teammate_spawned":
		t.Background, t.Teammate, t.Team = t.Lane, out.Text("name"), out.Text("team_name")
		in.DropRepeated("name", t.Teammate)
	}
}

// messageCall reads a message to a subagent. One that had ended or was stopped goes on in the background with the message.
func messageCall(t *events.ToolCall, in, out *agents.Members) {
	lane := out.From.Get("resumedAgentId").Str()
	if lane == "" || in.From.Get("message").Str() == "" {
		return
	}
	t.Action, t.Task, t.Lane, t.Background = events.RunAgent, in.Text("message"), lane, lane
	t.About = in.Text("summary")
	in.DropRepeated("to", lane)
	out.DropRepeated("resumedAgentId", lane)
}

// workflowCall reads a call that started a workflow, a script that runs subagents in the background. Its end is that of a task.
func workflowCall(t *events.ToolCall, in, out *agents.Members) {
	name := cmp.Or(out.From.Get("workflowName").Str(), in.From.Get("name").Str(), in.From.Get("scriptPath").Str())
	lane := out.From.Get("taskId").Str()
	if lane == "" || out.From.Get("error").Str() != "" {
		return
	}
	t.Action, t.Lane, t.Background = events.RunAgent, lane, lane
	t.About = redact.Text(strings.TrimSpace("workflow " + name))
	t.Task = cmp.Or(out.Text("summary"), t.About)
	out.DropRepeated("taskId", lane)
}

// linesOf returns the first and the last line that a call read of a file, 0 and 0 for the whole file.
func linesOf(file payload.Value) (from, to int) {
	start, _ := file.Get("startLine").Int()
	n, _ := file.Get("numLines").Int()
	all, _ := file.Get("totalLines").Int()
	if n <= 0 || start < 1 || n >= all {
		return 0, 0
	}
	return int(start), int(start + n - 1)
}

// setEnd records that a call failed, was refused or was interrupted. Old clients report a refusal in the response, as if the call had not
// failed.
func setEnd(h *events.Hook, p *agents.Payload) {
	t, response := h.Tool, p.From.Get("tool_response")
	text := response.Str()
	interrupted, _ := response.Get("interrupted").Bool()
	if t.Failed = h.Native == "PostToolUseFailure"; t.Failed {
		text = p.Text("error")
		interrupted, _ = p.From.Get("is_interrupt").Bool()
	}
	t.Words, t.Refused = refusalOf(text)
	ran := interrupted && t.Words == "" // the client reports the interruption of a running call like a refusal
	stopped := ran && (t.Refused || !t.Failed)
	t.Refused = t.Refused && !ran
	switch {
	case isShell(t.Name) && stopped:
		t.Failed, t.Error = true, "interrupted by the person"
	case isShell(t.Name) && t.Failed && isInterrupted(text):
		t.Error = text
	case t.Refused:
		t.Failed = true
	case interrupted, t.Failed && isVoid(text):
		t.Failed, t.Aborted = true, true
		fallthrough
	case t.Failed:
		t.Error = text
	}
}

// todosOf returns the todos of a list. more is a member for the rest with the unread members of the items, nil if there are none.
func todosOf(list payload.Value) (todos []events.Todo, more []agents.Member) {
	todos = []events.Todo{} // not nil: the list may be empty
	var rests [][]byte
	hasMore := false
	for v := range list.Items() {
		item := agents.Members{From: v}
		if text := item.Text("content"); text != "" { // an empty line would be given back as a task
			todos = append(todos, events.Todo{Text: text, Status: cmp.Or(item.Text("status"), "pending")})
		}
		rest := item.Rest()
		hasMore = hasMore || rest.Kind() != payload.Object || rest.Len() > 0
		rests = append(rests, rest.JSON())
	}
	if hasMore {
		more = []agents.Member{{Name: "todos", Value: slices.Concat([]byte("["), bytes.Join(rests, []byte(",")), []byte("]"))}}
	}
	return todos, more
}

// tasksOf returns the task that TaskCreate or TaskUpdate changed, nil if the call changed none. The id of a created task is only in
// the response.
func tasksOf(tool string, in, out *agents.Members) []events.Task {
	if done, ok := out.From.Get("success").Bool(); ok && !done {
		return nil
	}
	task := events.Task{ID: anyID(in.From.Get("taskId")), Status: in.From.Get("status").Str()}
	if tool == "TaskCreate" {
		task = events.Task{ID: anyID(out.From.Path("task", "id")), Status: "pending"}
	}
	if task.ID == "" || !out.From.Exists() {
		return nil
	}
	task.Subject, task.Detail, task.Owner = in.Text("subject"), in.Text("description"), in.Text("owner")
	if tool == "TaskUpdate" {
		in.Drop("taskId")
		in.DropText("status")
	}
	return []events.Task{task}
}

// listed returns the tasks in a response of TaskList or TaskGet.
func listed(out payload.Value) (all []events.Task) {
	add := func(v payload.Value) {
		if id, status := anyID(v.Get("id")), v.Get("status").Str(); id != "" && status != "" {
			all = append(all, events.Task{ID: id, Subject: v.Get("subject").Str(), Status: status, Owner: v.Get("owner").Str()})
		}
	}
	add(out.Get("task"))
	for v := range out.Get("tasks").Items() {
		add(v)
	}
	return all
}

// anyID reads an id that is a string in some versions and a number in others.
func anyID(v payload.Value) string {
	if n, ok := v.Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	return v.Str()
}

// joinOutput joins the two outputs of a command, on separate lines.
func joinOutput(stdout, stderr string) string {
	if stdout != "" && stderr != "" {
		return strings.TrimRight(stdout, "\n") + "\n" + stderr
	}
	return stdout + stderr
}

// exitCode returns the exit code in the error of a command, which begins with "Exit code 3" or the like. It is 0 for other errors, such
// as that of a refused call.
func exitCode(s string) (n int) {
	_, _ = fmt.Sscanf(s, "Exit code %d", &n)
	return n
}
