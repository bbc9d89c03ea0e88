package gemini

import (
	"encoding/json"
	"strings"
	"time"
)

// row is one row of a chat: the head of a process, a message, or messages that take the
// place of all before.
type row struct {
	SessionID   string    `json:"sessionId"`
	ProjectHash string    `json:"projectHash"`
	StartTime   time.Time `json:"startTime"`

	ID        string      `json:"id"`
	Timestamp time.Time   `json:"timestamp"`
	Type      string      `json:"type"` // user, gemini, and the client's own notes
	Content   content     `json:"content"`
	ToolCalls []endedCall `json:"toolCalls"`
	Model     string      `json:"model"`
	Tokens    struct {
		Input int64 `json:"input"`
	} `json:"tokens"`

	Set *struct {
		Messages []row `json:"messages"`
	} `json:"$set"`
}

func (r row) time() time.Time {
	if r.Timestamp.IsZero() {
		return r.StartTime
	}
	return r.Timestamp
}

// content is what a message says: a text, or parts.
type content struct {
	Text     string
	Response bool // it is the answer of a tool
}

func (c *content) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &c.Text) == nil {
		return nil
	}
	var parts []struct {
		Text     string          `json:"text"`
		Response json.RawMessage `json:"functionResponse"`
	}
	if json.Unmarshal(b, &parts) != nil {
		return nil // a form of a client to come: its other members may tell something
	}
	var texts []string
	for _, p := range parts {
		c.Response = c.Response || p.Response != nil
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	c.Text = strings.Join(texts, "\n")
	return nil
}

// endedCall is a call of a tool, as a message of the model holds it when it has ended.
type endedCall struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args"`
	Status  string          `json:"status"` // success, error, cancelled
	Display json.RawMessage `json:"resultDisplay"`
	Result  []struct {
		Response struct {
			Response struct {
				Output string `json:"output"`
				Error  string `json:"error"`
			} `json:"response"`
		} `json:"functionResponse"`
	} `json:"result"`
}

// said is what the model was told of the call.
func (c endedCall) said() string {
	var all []string
	for _, r := range c.Result {
		if text := r.Response.Response.Output + r.Response.Response.Error; text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}
