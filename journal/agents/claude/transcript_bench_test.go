package claude_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/events"
	"journal/journal/agents/claude"
)

// BenchmarkReader measures the whole way from a row to its events, without storing them; BenchmarkScan measures only
// reading the rows. The bar is 50 MB/s per core (J.5).
func BenchmarkReader(b *testing.B) {
	content := big(b)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		r := claude.NewReader(strings.NewReader(content), nil, nil)
		for {
			s, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			events.Recognise(s.Report.Hook)
		}
	}
}

// BenchmarkWatcher measures what the owner does with the rows of a running session.
func BenchmarkWatcher(b *testing.B) {
	content := []byte(big(b))
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		watched(b, content)
	}
}

func BenchmarkScan(b *testing.B) {
	content := big(b)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		for line := range strings.Lines(content) {
			var row map[string]json.RawMessage
			_ = json.Unmarshal([]byte(line), &row)
		}
	}
}

// big returns a transcript of some megabytes: real ones if available, else the test's own repeated, with uuids of their
// own.
func big(b *testing.B) string {
	b.Helper()
	files, _ := filepath.Glob(filepath.Join(os.Getenv("JOURNAL_FIXTURES"), "third-party", "claude-transcripts", "full", "*.jsonl"))
	var all strings.Builder
	for _, path := range files {
		row, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(row)
	}
	if all.Len() > 0 {
		return all.String()
	}
	row, err := os.ReadFile(filepath.Join("testdata", "transcripts", "session.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range 500 {
		all.WriteString(strings.ReplaceAll(string(row), `"uuid":"`, fmt.Sprintf(`"uuid":"%d-`, i)))
	}
	return all.String()
}
