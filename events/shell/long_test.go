package shell_test

import (
	"strings"
	"testing"
	"time"

	"journal/events/shell"
)

// TestLongWord: a word of half a megabyte, which no person writes and an agent may, is read in one pass.
func TestLongWord(t *testing.T) {
	t.Parallel()
	began := time.Now()
	all := shell.Commands("echo " + strings.Repeat("x", 512<<10) + " >out")
	if len(all) != 1 || len(all[0][1]) != 512<<10 {
		t.Fatalf("%d commands", len(all))
	}
	// 3 ms here; examining the whole word again for each byte takes 30 s.
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
