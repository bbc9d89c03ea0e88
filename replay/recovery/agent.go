package recovery

import (
	"fmt"
	"slices"

	"journal/events/text"
	"journal/replay/knowledge"
)

// AgentForm is a recovery for programs, with the keys that they expect (S0.7, docs/FILES.md §S0).
type AgentForm struct {
	Event          string   `json:"event"` // compact_recovery
	CheckpointID   string   `json:"checkpoint_id"`
	Summary        string   `json:"summary"`
	ActivePort     string   `json:"active_port"`
	PortProgress   string   `json:"port_progress"`
	Request        string   `json:"request"` // of the newest turn
	InReplyTo      string   `json:"in_reply_to,omitempty"`
	SaidSince      []string `json:"said_since"`       // by the person, within the turn, most needed first
	LastWords      string   `json:"last_words"`       // the agent's text since the request
	LastCall       string   `json:"last_call"`        // since the request, with its outcome, and on further lines the calls beside it
	Branch         string   `json:"branch,omitempty"` // at the compaction, by git
	Git            string   `json:"git,omitempty"`    // its newest commits, and the uncommitted changes
	Places         []string `json:"places,omitempty"` // symbols and their lines in the edited files, at the compaction
	PendingTasks   []string `json:"pending_tasks"`
	RecentFiles    []string `json:"recent_files"`
	KeyDecisions   []string `json:"key_decisions"`
	RecoveryPrompt string   `json:"recovery_prompt"`
}

// Agent returns the form for programs. prompt is the text of the recovery.
func (r Recovery) Agent(prompt string) AgentForm {
	a := AgentForm{
		Event: "compact_recovery", CheckpointID: r.Checkpoint.ID, Summary: text.Inert(r.summary()),
		ActivePort: r.Port.ID, PortProgress: r.Port.Progress,
		SaidSince: []string{}, PendingTasks: []string{}, RecentFiles: []string{}, KeyDecisions: []string{},
		RecoveryPrompt: prompt,
	}
	for _, i := range r.Items {
		i.Text, i.Detail = text.Inert(i.Text), text.Inert(i.Detail)
		switch i.Kind {
		case knowledge.Todo, knowledge.PortItem:
			a.PendingTasks = append(a.PendingTasks, i.Text)
		case knowledge.Prompt:
			a.Request, a.InReplyTo = i.Text, i.Detail
		case knowledge.WithCompact, knowledge.LastRefusal, knowledge.Since:
			a.SaidSince = append(a.SaidSince, i.Text)
		case knowledge.Said:
			a.LastWords = i.Text
		case knowledge.Call:
			if i.Text == "" {
				continue // none since the request
			}
			if a.LastCall != "" {
				a.LastCall += "\n"
			}
			a.LastCall += i.Text + ": " + i.State
		case knowledge.Git:
			a.Branch, a.Git = i.Text, i.Detail
		case knowledge.Place:
			a.Places = append(a.Places, i.Text)
		case knowledge.File:
			a.RecentFiles = append(a.RecentFiles, i.Text)
		case knowledge.Decision:
			a.KeyDecisions = append(a.KeyDecisions, i.Text)
		case knowledge.Answer:
			a.KeyDecisions = append(a.KeyDecisions, i.Detail+" → "+i.Text)
		}
	}
	return a
}

// summary describes the session's state: the newest checkpoint's summary, else the agent's last text, else what triggered the
// newest checkpoint (S0.7). It is empty without any.
func (r Recovery) summary() string {
	for _, k := range []knowledge.Kind{knowledge.Checkpoint, knowledge.Said, knowledge.LastAnswer} {
		if n := slices.IndexFunc(r.Items, func(i knowledge.Item) bool { return i.Kind == k }); n >= 0 {
			return r.Items[n].Text
		}
	}
	c := r.Checkpoint
	switch {
	case c.ID == "":
		return ""
	case c.Percent > 0:
		return fmt.Sprintf("%s at %d %% of the context, #%d", c.Trigger, c.Percent, c.Seq)
	}
	return fmt.Sprintf("%s, #%d", c.Trigger, c.Seq)
}
