package codex

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events/text"
	"journal/journal/agents"
	"journal/journal/agents/transcript"
)

// row is one row of a rollout: a type, and a payload that depends on the type.
type row struct {
	Timestamp string     `json:"timestamp"`
	Ordinal   *int64     `json:"ordinal"` // nil before 0.169
	Type      string     `json:"type"`    // session_meta, turn_context, event_msg, response_item, compacted and others
	Payload   rowPayload `json:"payload"`
	Metadata  struct {
		Summary bool `json:"compaction_output"` // the model's output for a compaction
	} `json:"metadata"`

	id string    // Ordinal, or a digest of the row if that is nil
	at time.Time // Timestamp, zero if the row has none
}

// head returns the row without its payload, of which it keeps the turn's id. at is the row's time.
func (r row) head(at time.Time) row {
	return row{id: r.id, at: at, Payload: rowPayload{Turn: r.Payload.Turn}}
}

// rowPayload is the payload of a row of any type. Its comments name the types of rows and payloads that have the members.
type rowPayload struct {
	Type string `json:"type"`
	ID   string `json:"id"`

	// session_meta
	Session string `json:"session_id"`       // the session, also in the rollout of a subagent
	Parent  string `json:"parent_thread_id"` // the thread that started a subagent
	Role    string `json:"agent_role"`       // the type of a subagent
	Source  source `json:"source"`           // the starter of the thread
	Kind    string `json:"thread_source"`    // user, subagent, automation …
	Client  string `json:"originator"`       // codex-tui, codex_exec …
	Forked  string `json:"forked_from_id"`
	Cwd     string `json:"cwd"` // turn_context too

	// turn_context, and events in a turn
	Turn        string          `json:"turn_id"`
	Model       string          `json:"model"`
	Attribution json.RawMessage `json:"turn_attribution"` // task_started: an object if a prompt began the turn
	Window      int64           `json:"model_context_window"`
	Answer      string          `json:"last_agent_message"`
	Reason      string          `json:"reason"`
	Error       json.RawMessage `json:"error"`       // task_complete: why the model did not answer
	Turns       int             `json:"num_turns"`   // thread_rolled_back
	ThreadName  string          `json:"thread_name"` // thread_name_updated
	Goal        struct {
		Objective string `json:"objective"`
	} `json:"goal"` // thread_goal_updated
	GoalTurn string `json:"turnId"`  // thread_goal_updated: the turn whose model set the goal, "" if the person did
	Message  string `json:"message"` // user_message before 0.169; compacted
	Text     string `json:"text"`    // agent_reasoning
	Item     item   `json:"item"`    // item_completed
	Info     struct {
		Window int64 `json:"model_context_window"`
		Last   struct {
			Total int64 `json:"total_tokens"`
		} `json:"last_token_usage"`
	} `json:"info"` // token_count

	// response_item
	Call      string          `json:"call_id"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"` // of a function: JSON
	Input     string          `json:"input"`     // of a custom tool: a text
	Output    content         `json:"output"`
	Action    json.RawMessage `json:"action"` // of a search
	Speaker   string          `json:"role"`
	Content   content         `json:"content"`
	Passed    struct {
		Kinds []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`

	// compacted
	History []rowPayload `json:"replacement_history"`
}

// source is the starter of a thread: a name such as cli, or the thread that started a subagent. Some clients before 0.169 name that thread
// only here.
type source struct {
	Name     string `json:"-"` // cli, exec, vscode …
	Own      bool   `json:"-"` // the client started the thread for itself, for a review, an approval or its memory
	Subagent struct {
		Spawn struct {
			Parent string `json:"parent_thread_id"`
			Role   string `json:"agent_role"`
		} `json:"thread_spawn"`
	} `json:"subagent"`
}

// UnmarshalJSON implements json.Unmarshaler. It ignores a value of any other form.
func (s *source) UnmarshalJSON(b []byte) error {
	type plain source
	if json.Unmarshal(b, &s.Name) != nil {
		_ = json.Unmarshal(b, (*plain)(s))
		var object map[string]json.RawMessage
		_ = json.Unmarshal(b, &object)
		s.Own = object["internal"] != nil || object["subagent"] != nil && s.Subagent.Spawn.Parent == ""
	}
	return nil
}

// headless reports whether a program, and not a person, started the session of a session_meta.
func (p rowPayload) headless() bool {
	return p.Source.Own || strings.HasSuffix(p.Kind, "automation") || agents.Headless(p.Source.Name) || agents.Headless(p.Client)
}

// parentThread returns the thread that started a subagent, "" for a session.
func (p rowPayload) parentThread() string { return cmp.Or(p.Parent, p.Source.Subagent.Spawn.Parent) }

// item is the item of an item_completed row, such as a message or an ended tool call.
type item struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"` // the id of the call in the conversation, if the call is in it
	Content content         `json:"content"`
	Command json.RawMessage `json:"command"` // a text or a list of words
	Source  string          `json:"source"`  // user_shell: the person ran it; unified_exec_interaction: input to a running command
	Status  string          `json:"status"`  // completed, failed, declined
	Output  string          `json:"aggregated_output"`
	Stdout  string          `json:"stdout"`
	Stderr  string          `json:"stderr"`
	Exit    *int            `json:"exit_code"`
	Took    struct {
		Secs  int64 `json:"secs"`
		Nanos int64 `json:"nanos"`
	} `json:"duration"`

	Changes map[string]change `json:"changes"` // FileChange, by path

	// McpToolCall, DynamicToolCall, CollabAgentToolCall
	Server    string          `json:"server"`
	Namespace string          `json:"namespace"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Items     json.RawMessage `json:"content_items"`
	Success   *bool           `json:"success"`
	Error     faultText       `json:"error"`
	Text      string          `json:"text"` // Plan
	Prompt    string          `json:"prompt"`
	Kind      string          `json:"kind"`            // SubAgentActivity: started, interacted …
	Thread    string          `json:"agent_thread_id"` // SubAgentActivity: the subagent
	Path      string          `json:"agent_path"`      // SubAgentActivity: its name behind those of its parents, such as /root/scout
	Receivers []string        `json:"receiver_thread_ids"`
}

// change is the change of one file.
type change struct {
	Type    string `json:"type"` // add, delete, update
	Content string `json:"content"`
	Diff    string `json:"unified_diff"`
	To      string `json:"move_path"`
}

// UnmarshalJSON implements json.Unmarshaler. Older clients name the type outside: {"add":{"content":"…"}}.
func (c *change) UnmarshalJSON(b []byte) error {
	type plain change
	if json.Unmarshal(b, (*plain)(c)) == nil && c.Type != "" {
		return nil
	}
	var outer map[string]plain
	_ = json.Unmarshal(b, &outer) // stays empty for other forms
	for kind, inner := range outer {
		*c = change(inner)
		c.Type = kind
	}
	return nil
}

// endRows maps types of payloads that some clients write in place of item_completed to types of items.
var endRows = map[string]string{"exec_command_end": "CommandExecution", "patch_apply_end": "FileChange", "mcp_tool_call_end": "McpToolCall", "sub_agent_activity": "SubAgentActivity"}

// itemOf returns the item in a row whose payload has one of the types in endRows. kind is the type of the item.
func itemOf(b []byte, kind string) item {
	var row struct {
		Payload struct {
			item
			Call       string `json:"call_id"`
			Event      string `json:"event_id"` // of SubAgentActivity, in place of call_id
			Invocation item   `json:"invocation"`
		} `json:"payload"`
	}
	_ = json.Unmarshal(b, &row) // members with other types are skipped
	item := row.Payload.item
	item.Type, item.ID = kind, cmp.Or(row.Payload.Call, row.Payload.Event)
	item.Server, item.Tool, item.Arguments = row.Payload.Invocation.Server, row.Payload.Invocation.Tool, row.Payload.Invocation.Arguments
	var result struct {
		Ok  json.RawMessage
		Err faultText
	}
	if json.Unmarshal(item.Result, &result) == nil && (result.Ok != nil || result.Err != "") {
		item.Result, item.Error = result.Ok, result.Err
	}
	return item
}

// faultText is the message of an error.
type faultText string

// UnmarshalJSON reads a text, or the member "message" of an object.
func (f *faultText) UnmarshalJSON(b []byte) error {
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(b, (*string)(f)) != nil && json.Unmarshal(b, &object) == nil {
		*f = faultText(object.Message)
	}
	return nil
}

// millis returns the duration in ms.
func (i item) millis() int64 { return i.Took.Secs*1000 + i.Took.Nanos/1e6 }

// content is the content of a message, or the output of a tool.
type content struct {
	Text  string   // the texts, joined
	Parts []string // the text of each part, "" for a part without one
	Plain bool     // it was one text, not a list of parts
}

// UnmarshalJSON reads a text or a list of parts.
func (s *content) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &s.Text) == nil {
		s.Parts, s.Plain = []string{s.Text}, true
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &parts) != nil {
		return nil // a form of a future client: the other members may be readable
	}
	for _, p := range parts {
		s.Parts = append(s.Parts, p.Text)
	}
	texts := slices.DeleteFunc(slices.Clone(s.Parts), func(part string) bool { return part == "" })
	s.Text = strings.Join(texts, "\n")
	return nil
}

// parse parses a row.
func parse(b []byte) (row row, err error) {
	err = transcript.Unmarshal(b, &row)
	if kind := endRows[row.Payload.Type]; kind != "" {
		row.Payload.Item = itemOf(b, kind)
	}
	row.at = transcript.TimeOf(row.Timestamp)
	if row.Ordinal != nil {
		row.id = strconv.FormatInt(*row.Ordinal, 10)
	} else {
		row.id = text.Digest(b)[:16]
	}
	return row, err
}

// textsOf returns the texts of the parts of a message that are of a kind. Only clients since 0.169 write kinds.
func (p rowPayload) textsOf(kind string) (texts []string) {
	for i, part := range p.Content.Parts {
		if i < len(p.Passed.Kinds) && p.Passed.Kinds[i] == kind {
			texts = append(texts, part)
		}
	}
	return texts
}
