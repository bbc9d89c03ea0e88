package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"journal/journal/disk"
	"journal/journal/transcript"
	"journal/journal/transcript/jsonl"
)

const (
	// receiptTail is how much of a transcript's end holds the newest compaction
	// and what was kept of the messages before it.
	receiptTail = 4 << 20
	// receiptRows is how many messages before a compaction are remembered. The
	// client keeps the newest few.
	receiptRows = 1000
)

// receipts reads what a transcript shows of the contexts after its
// compactions, oldest first: of all of them, or of those near the end of the file.
// It never waits: only regular files are read.
func receipts(path string, all bool) ([]transcript.Receipt, error) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := fi.Size()
	from := max(0, size-receiptTail)
	if all {
		from = 0
	}
	return readReceipts(io.NewSectionReader(f, from, size-from))
}

// readReceipts reads rows; one that is cut, too long or no JSON is passed over.
func readReceipts(r io.Reader) ([]transcript.Receipt, error) {
	var w receiptReader
	err := jsonl.NewRows(r, rowLimits, nil).Each(func(row []byte) bool {
		w.row(row)
		return true
	})
	return w.found, err
}

// receiptReader takes the rows of a transcript in their order.
type receiptReader struct {
	found    []transcript.Receipt
	messages map[string]keptMessage // by id of their row
	order    []string
}

// keptMessage is what a message says that may be kept over a compaction.
type keptMessage struct {
	prompt string
	uses   []string
}

type receiptRowOf struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	UUID        string `json:"uuid"`
	IsSidechain bool   `json:"isSidechain"`
	IsMeta      bool   `json:"isMeta"`
	Compact     struct {
		Preserved struct {
			UUIDs []string `json:"uuids"`
			All   []string `json:"allUuids"`
		} `json:"preservedMessages"`
	} `json:"compactMetadata"`
	Attachment struct {
		Type     string          `json:"type"`
		Event    string          `json:"hookEvent"`
		Filename string          `json:"filename"`
		Content  json.RawMessage `json:"content"`
	} `json:"attachment"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

func (w *receiptReader) row(b []byte) {
	// Most rows are none of these, and none of them has to be decoded.
	if !bytes.Contains(b, []byte(`"compact_boundary"`)) && !bytes.Contains(b, []byte(`"attachment"`)) &&
		!bytes.Contains(b, []byte(`"user"`)) && !bytes.Contains(b, []byte(`"tool_use"`)) {
		return
	}
	var r receiptRowOf
	if json.Unmarshal(b, &r) != nil || r.IsSidechain {
		return
	}
	switch {
	case r.Subtype == "compact_boundary":
		w.boundary(r)
	case r.Type == "attachment" && len(w.found) > 0:
		w.attachment(r)
	case r.Type == "user" && !r.IsMeta || r.Type == "assistant":
		w.message(r)
	}
}

func (w *receiptReader) boundary(r receiptRowOf) {
	one := transcript.Receipt{Boundary: r.UUID}
	kept := r.Compact.Preserved.All
	if len(kept) == 0 {
		kept = r.Compact.Preserved.UUIDs
	}
	for _, id := range kept {
		m := w.messages[id]
		if m.prompt != "" {
			one.Prompts = append(one.Prompts, m.prompt)
		}
		one.Uses = append(one.Uses, m.uses...)
	}
	w.found = append(w.found, one)
}

func (w *receiptReader) attachment(r receiptRowOf) {
	one := &w.found[len(w.found)-1]
	switch a := r.Attachment; {
	case a.Type == "file" && a.Filename != "":
		one.Files = append(one.Files, a.Filename)
	case a.Type == "hook_additional_context" && a.Event == "SessionStart":
		var texts []string
		if json.Unmarshal(a.Content, &texts) != nil {
			return
		}
		for _, t := range texts {
			if s, ok := spilled(t); ok {
				one.Spilled = append(one.Spilled, s)
			} else {
				one.Texts = append(one.Texts, t)
			}
		}
	}
}

// spilled reads what the client puts in the place of a text over 10,000 units
// (CLIENTS part 1 section 6).
func spilled(text string) (transcript.Spill, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "<persisted-output>") {
		return transcript.Spill{}, false
	}
	var s transcript.Spill
	if _, rest, ok := strings.Cut(text, "saved to: "); ok {
		s.Path, _, _ = strings.Cut(rest, "\n")
		s.Path = strings.TrimSpace(s.Path)
	}
	if _, rest, ok := strings.Cut(text, "\nPreview"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		s.Preview = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(rest), "</persisted-output>"), "\n")
		s.Preview = strings.TrimSuffix(s.Preview, "...")
	}
	return s, true
}

func (w *receiptReader) message(r receiptRowOf) {
	var m keptMessage
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
		ID   string `json:"id"`
		Use  string `json:"tool_use_id"`
	}
	if json.Unmarshal(r.Message.Content, &m.prompt) != nil && json.Unmarshal(r.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		switch {
		case b.Type == "text" && r.Type == "user" && m.prompt == "":
			m.prompt = b.Text
		case b.Type == "tool_use" && b.ID != "":
			m.uses = append(m.uses, b.ID)
		case b.Type == "tool_result" && b.Use != "":
			m.uses = append(m.uses, b.Use)
		}
	}
	if r.Type != "user" {
		m.prompt = ""
	}
	if m.prompt == "" && len(m.uses) == 0 || r.UUID == "" {
		return
	}
	if w.messages == nil {
		w.messages = map[string]keptMessage{}
	}
	if w.order = append(w.order, r.UUID); len(w.order) > receiptRows {
		delete(w.messages, w.order[0])
		w.order = w.order[1:]
	}
	w.messages[r.UUID] = m
}
