package notes_test

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkNothing is what the end of a turn costs where nobody keeps such
// files; 50 µs are allowed.
func BenchmarkNothing(b *testing.B) {
	w := newWorld(b)
	for b.Loop() {
		w.all()
	}
}

// BenchmarkUnchanged is the same in a project with ten files that were observed.
func BenchmarkUnchanged(b *testing.B) {
	w := newWorld(b)
	for i := range 9 {
		w.write(fmt.Sprintf(".claude/context/learnings-%d.md", i), "## L\n")
	}
	w.write(progress, "## One\n")
	w.all()
	b.ResetTimer()
	for b.Loop() {
		w.all()
	}
}

// BenchmarkOtherFile is a tool call that wrote some other file.
func BenchmarkOtherFile(b *testing.B) {
	w := newWorld(b)
	for b.Loop() {
		w.watcher().Written([]string{"/home/dev/project/main.go"})
	}
}

// BenchmarkChanged is working notes of 64 KiB that changed, redaction and hints
// included.
func BenchmarkChanged(b *testing.B) {
	w := newWorld(b)
	section := "## 2026-02-18T03:30Z — a step\n- Decision: " + strings.Repeat("words ", 60) + "\n\n"
	for i := 0; b.Loop(); i++ {
		w.write(progress, fmt.Sprintf("%06d\n", i)+strings.Repeat(section, 64<<10/len(section)))
		w.all()
	}
}
