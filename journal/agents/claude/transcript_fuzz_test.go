package claude

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"journal/events"
)

// FuzzReader: no row stops the reading, and every step can be recognised.
func FuzzReader(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", "session.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		f.Add(line)
	}
	const begin = `{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","message":{"content":"begin"}}` + "\n"
	f.Fuzz(func(t *testing.T, rows []byte) {
		r := NewReader(io.MultiReader(bytes.NewReader([]byte(begin)), bytes.NewReader(rows)), nil, nil)
		for n := 0; ; n++ {
			s, err := r.Next()
			if errors.Is(err, io.EOF) {
				if n < 2 {
					t.Errorf("the first row gives %d steps", n)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(events.Recognise(s.Report.Hook)) == 0 || len(s.IDs(1)[0]) != 36 {
				t.Errorf("%+v means nothing", s)
			}
		}
	})
}
