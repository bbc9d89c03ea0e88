package claude

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
)

// answered is a row with an answer: the parts about its usage.
type answered struct {
	Type      string    `json:"type"`
	At        time.Time `json:"timestamp"`
	Version   string    `json:"version"`
	Sidechain bool      `json:"isSidechain"`
	Message   struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage *struct {
			Input      int64 `json:"input_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
			Output     int64 `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// answerOf reads a row. ok is false unless it is an answer that reports its usage.
func answerOf(row []byte) (r answered, ok bool) {
	ok = bytes.Contains(row, []byte(`"usage"`)) && json.Unmarshal(row, &r) == nil && r.Type == "assistant" && r.Message.Usage != nil
	return r, ok
}

// spent reads the usage of a session's answers. One answer has several rows; the last has its whole output.
func spent(path string) (all []transcript.Spent, err error) {
	files, below := []string{path}, filepath.Dir(subagentPath(path, ""))
	lanes, _ := disk.ReadDir(below) // most sessions have none
	for _, one := range lanes {
		if strings.HasSuffix(one.Name(), transcriptExt) {
			files = append(files, filepath.Join(below, one.Name()))
		}
	}
	at := map[string]int{}
	for _, file := range files {
		err := transcript.EachRow(file, rowLimits, func(b []byte) {
			r, ok := answerOf(b)
			if !ok {
				return
			}
			one := transcript.Spent{ID: r.Message.ID, At: r.At, Model: redact.Text(r.Message.Model), Tokens: transcript.Tokens(*r.Message.Usage)}
			if i, known := at[one.ID]; known && one.ID != "" {
				all[i] = one
				return
			}
			at[one.ID] = len(all)
			all = append(all, one)
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
