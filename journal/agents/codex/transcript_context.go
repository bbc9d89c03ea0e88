package codex

import (
	"io"
	"io/fs"
	"path/filepath"

	"journal/journal/agents/transcript"
	"journal/journal/agents/transcript/jsonl"
	"journal/journal/disk"
)

// textsKept bounds the texts of hooks that are remembered of one context. Ours comes
// with its first requests.
const textsKept = 32

// contextReader takes the rows of a rollout in their order.
type contextReader struct {
	found []transcript.Context
	told  int // rows that told something of them
}

func (c *contextReader) newest() (newest transcript.Context, told int) {
	if n := len(c.found); n > 0 {
		newest = c.found[n-1]
	}
	return newest, c.told
}

// take takes a row that is whole. A compaction leaves the person's prompts and the
// summary; what hooks had added is gone.
func (c *contextReader) take(one row) {
	p := one.Payload
	switch {
	case one.Type == "compacted":
		c.told++
		kept := transcript.Context{Boundary: one.id}
		for _, m := range p.History {
			kept.Prompts = append(kept.Prompts, m.text("user.text")...)
		}
		c.found = append(c.found, kept)
	case len(c.found) > 0 && p.Type == "message" && p.Speaker == "developer":
		newest := &c.found[len(c.found)-1]
		if texts := p.text("hooks.additional_context"); len(texts) > 0 && len(newest.Texts) < textsKept {
			c.told++
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
	f, fi, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var c contextReader
	err = jsonl.NewRows(io.NewSectionReader(f, 0, fi.Size()), rowLimits, nil).Each(func(b []byte) bool {
		if one, err := parse(b); err == nil {
			c.take(one)
		}
		return true
	})
	return c.found, err
}
