package claude

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/vars"
	"journal/journal/disk"
)

// transcriptTail is how much of a transcript's end is looked at. Rows have up to
// 63 KB (docs/CLIENTS.md §10); after the newest answer stand a few.
const transcriptTail = 512 << 10

// usageOf gives the context usage of a headless session, which has no
// statusline: that of the newest answer of the main thread since the last
// compaction, from the end of the transcript (S1.3, docs/CLIENTS.md §10). The window
// is not in it. Nil is unknown: at the start of a session, or when the file is
// not what it should be. It never waits: only regular files are read.
func usageOf(path string, env agents.Env) (u *events.Usage, model, client string) {
	switch entry := env.Getenv(vars.ClaudeEntry); entry {
	case "", "cli": // the interactive client has a statusline
		return nil, "", ""
	}
	tail, whole := readTail(env.Path(path), transcriptTail)
	for len(tail) > 0 {
		i := bytes.LastIndexByte(tail[:len(tail)-1], '\n')
		if i < 0 && !whole {
			break // the row begins before the tail
		}
		row := tail[i+1:]
		tail = tail[:i+1]
		if bytes.Contains(row, []byte(`"compact_boundary"`)) {
			break
		}
		if u, model, client := rowUsage(row); u != nil {
			return u, model, client
		}
	}
	return nil, "", ""
}

// rowUsage reads an answer of the main thread.
func rowUsage(row []byte) (u *events.Usage, model, client string) {
	if !bytes.Contains(row, []byte(`"usage"`)) {
		return nil, "", ""
	}
	var r struct {
		Type        string `json:"type"`
		Version     string `json:"version"`
		IsSidechain bool   `json:"isSidechain"`
		Message     struct {
			Model string `json:"model"`
			Usage *struct {
				Input         int64 `json:"input_tokens"`
				CacheCreation int64 `json:"cache_creation_input_tokens"`
				CacheRead     int64 `json:"cache_read_input_tokens"`
			} `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(row, &r) != nil || r.Type != "assistant" || r.IsSidechain || r.Message.Usage == nil {
		return nil, "", ""
	}
	n := r.Message.Usage
	return &events.Usage{Tokens: n.Input + n.CacheCreation + n.CacheRead}, r.Message.Model, Version(r.Version)
}

// maxVersion bounds a version in bytes.
const maxVersion = 32

// Version gives the version of the client as a file of it tells, empty for what is none.
func Version(s string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	if s == "" || len(s) > maxVersion || s[0] < '0' || '9' < s[0] || strings.Trim(s, "0123456789.+-"+letters) != "" {
		return ""
	}
	return s
}

// readTail gives the last n bytes of a regular file, and whether that is all of
// it.
func readTail(path string, n int64) (tail []byte, whole bool) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	from := max(0, fi.Size()-n)
	tail, err = io.ReadAll(io.NewSectionReader(f, from, n))
	if err != nil {
		return nil, false
	}
	return tail, from == 0
}
