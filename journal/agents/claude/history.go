package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

const (
	// historyName is the name of the history: the client's list of the prompts that were typed in all projects. The client deletes
	// transcripts after cleanupPeriodDays, but not this file.
	historyName = "history.jsonl"
	// historySource is the source of a session whose prompts come from the history.
	historySource = "history"
	// historyBytes bounds the prompts of a history in bytes, because an import holds them in memory.
	historyBytes = 64 << 20
)

// typedRow is a row of the history.
type typedRow struct {
	Display string // the prompt as the client shows it
	Time    int64  `json:"timestamp"` // ms since 1970 UTC
	Project string
	Session string                              `json:"sessionId"` // "" in clients of 2025
	Pasted  map[string]struct{ Content string } `json:"pastedContents"`
}

// isHistory reports whether a path is that of the history.
func isHistory(path string) bool { return filepath.Base(path) == historyName }

// history implements transcript.Format.Sessions for the history. The rows of each session are its prompts in the form of a transcript.
// Prompts without a session form one session for each project and day (UTC).
func history(path string) (all []transcript.Session, err error) {
	index, rows, size := map[string]int{}, []*bytes.Buffer{}, 0
	for b, err := range transcript.RowsOf(path, rowLimits) {
		if err != nil {
			return nil, err
		}
		var row typedRow
		if transcript.Unmarshal(b, &row) != nil || row.Time <= 0 {
			continue
		}
		words, typed := row.text(), time.UnixMilli(row.Time).UTC()
		if words == "" {
			continue
		}
		if row.Session == "" {
			row.Session = events.DerivedID(historySource, row.Project, typed.Format(time.DateOnly))
		}
		i, known := index[row.Session]
		if !known {
			i = len(all)
			index[row.Session], rows = i, append(rows, &bytes.Buffer{})
			all = append(all, transcript.Session{Head: transcript.Head{Session: row.Session, Began: typed, Prompts: true}})
		}
		if err := json.NewEncoder(rows[i]).Encode(map[string]any{
			"type": "user", "uuid": events.DerivedID(historySource, row.Session, fmt.Sprint(row.Time), words), "sessionId": row.Session,
			"timestamp": typed.Format(time.RFC3339Nano), "cwd": row.Project, "message": map[string]string{"role": "user", "content": words},
		}); err == nil {
			size += len(words)
		}
		if size > historyBytes {
			return nil, transcript.Unfit(fmt.Sprintf("more than %d MiB of prompts", historyBytes>>20))
		}
	}
	for i := range all {
		content := rows[i].Bytes()
		all[i].Size = int64(len(content))
		all[i].Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	}
	return all, nil
}

// text returns the prompt, with those pasted texts that the history has. It is "" for slash commands and shell lines, because the history
// does not show which of them reached the model.
func (r typedRow) text() string {
	typed := strings.TrimSpace(r.Display)
	if strings.HasPrefix(typed, "!") || slashCommand().MatchString(typed) && !systemFolder().MatchString(typed) {
		return ""
	}
	return pasted().ReplaceAllStringFunc(typed, func(mark string) string {
		return cmp.Or(r.Pasted[pasted().FindStringSubmatch(mark)[1]].Content, mark)
	})
}

// slashCommand matches a prompt whose first word begins with a slash and has no other.
var slashCommand = text.Pattern(`^/[^/\s]*(\s|$)`)

// systemFolder matches a prompt that begins with a folder of the system. /run and /dev are missing: there may be commands of these names.
var systemFolder = text.Pattern(`^/(bin|boot|etc|home|lib|media|mnt|opt|proc|root|sbin|srv|sys|tmp|usr|var|Library|System|Users|Volumes)[,.:;?!]*(\s|$)`)

// pasted matches the mark of a pasted text in a prompt.
var pasted = text.Pattern(`\[Pasted text #(\d+)[^\]]*\]`)

// defaultDays is the client's default of cleanupPeriodDays.
const defaultDays = 30

// retention implements transcript.Format.Retention.
func retention(folder string) (days int, setting string) {
	const name = "cleanupPeriodDays"
	settings := struct {
		Days *int `json:"cleanupPeriodDays"`
	}{}
	b, err := disk.ReadFile(filepath.Join(filepath.Dir(folder), "settings.json"), 1<<20)
	if err != nil || json.Unmarshal(b, &settings) != nil || settings.Days == nil {
		return defaultDays, name
	}
	return *settings.Days, name
}
