package transcript

import (
	"encoding/json"
	"strings"
	"time"
)

// row is one line of a transcript of Claude Code, 1.0 to 2.1 (PROTOCOLS 1.11).
type row struct {
	Type        string    `json:"type"`
	Subtype     string    `json:"subtype"`
	UUID        string    `json:"uuid"`
	Parent      string    `json:"parentUuid"`
	Session     string    `json:"sessionId"`
	Agent       string    `json:"agentId"`
	Prompt      string    `json:"promptId"`
	Cwd         string    `json:"cwd"`
	At          time.Time `json:"timestamp"`
	IsSidechain bool      `json:"isSidechain"`
	IsMeta      bool      `json:"isMeta"`
	IsSummary   bool      `json:"isCompactSummary"`
	Compact     struct {
		Trigger string `json:"trigger"`
	} `json:"compactMetadata"`
	Message struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Stop    string          `json:"stop_reason"`
		Content json.RawMessage `json:"content"`
		Usage   *struct {
			Input         int64 `json:"input_tokens"`
			CacheCreation int64 `json:"cache_creation_input_tokens"`
			CacheRead     int64 `json:"cache_read_input_tokens"`
		} `json:"usage"`
	} `json:"message"`
	Result     json.RawMessage `json:"toolUseResult"`
	Attachment struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
	} `json:"attachment"`
}

// content is one part of a message.
type content struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Use     string          `json:"tool_use_id"`
	IsError bool            `json:"is_error"`
	Content json.RawMessage `json:"content"`
}

// parts gives the parts of a message; a message that is a text has one.
func (r row) parts() []content {
	var text string
	if json.Unmarshal(r.Message.Content, &text) == nil {
		return []content{{Type: "text", Text: text}}
	}
	var all []content
	_ = json.Unmarshal(r.Message.Content, &all) // what is neither says nothing
	return all
}

// text joins the texts of a message.
func textOf(parts []content) string {
	var texts []string
	for _, p := range parts {
		if p.Type == "text" && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// said gives the text of a tool's result, which is a text or parts of a message.
func (c content) said() string {
	var text string
	if json.Unmarshal(c.Content, &text) == nil {
		return text
	}
	var all []content
	_ = json.Unmarshal(c.Content, &all)
	return textOf(all)
}

// nobodys are the beginnings of rows in a person's name that no person wrote: the
// client's own commands and their output (PROTOCOLS 1.3).
var nobodys = []string{"<command-name>", "<command-message>", "<local-command-", "<bash-", "<task-notification>", "[Request interrupted by user", "Caveat: The messages below"}

func byPerson(text string) bool {
	text = strings.TrimSpace(text)
	for _, begin := range nobodys {
		if strings.HasPrefix(text, begin) {
			return false
		}
	}
	return text != ""
}
