package sections_test

import (
	"fmt"
	"strings"
	"testing"

	"journal/journal/notes/sections"
)

func BenchmarkParse(b *testing.B) {
	for _, kib := range []int{6, 64, 640} {
		b.Run(fmt.Sprintf("%dKiB", kib), func(b *testing.B) {
			section := "## 2026-02-18T03:30Z — a step\n- Decision: " + strings.Repeat("words ", 60) + "\n- **Domain**: `hooks`, gates\n\n"
			s := strings.Repeat(section, kib<<10/len(section))
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				sections.Parse(s)
			}
		})
	}
}
