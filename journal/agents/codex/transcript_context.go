package codex

import (
	"io/fs"
	"path/filepath"

	"journal/journal/agents/transcript"
)

// textsKept bounds the texts of hooks that are remembered of one context. Ours comes
// with its first requests.
const textsKept = 32

// contextReader takes the rows of a rollout in their order.
type contextReader struct{ transcript.Contexts }

// take takes a row that is whole. A compaction leaves the person's prompts and the
// summary; what hooks had added is gone.
func (c *contextReader) take(one row) {
	p := one.Payload
	switch {
	case one.Type == "compacted":
		c.Shown++
		kept := transcript.Context{Boundary: one.id}
		for _, m := range p.History {
			kept.Prompts = append(kept.Prompts, m.text("user.text")...)
		}
		c.All = append(c.All, kept)
	case len(c.All) > 0 && p.Type == "message" && p.Speaker == "developer":
		newest := &c.All[len(c.All)-1]
		if texts := p.text("hooks.additional_context"); len(texts) > 0 && len(newest.Texts) < textsKept {
			c.Shown++
			newest.Texts = append(newest.Texts, texts...)
		}
	}
}

// contexts reads what a rollout shows of the contexts after its compactions, oldest
// first. A subagent's rollout lies beside that of its session.
func contexts(path, lane string) ([]transcript.Context, error) {
	if lane != "" {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(path), "rollout-*-"+lane+filepath.Ext(path)))
		if err != nil || len(found) != 1 || !transcript.PlainID(lane) {
			return nil, fs.ErrNotExist
		}
		path = found[0]
	}
	var c contextReader
	err := transcript.EachRow(path, rowLimits, func(b []byte) {
		if one, err := parse(b); err == nil {
			c.take(one)
		}
	})
	return c.All, err
}
