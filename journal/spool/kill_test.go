package spool_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"journal/journal/spool"
)

func init() {
	// Puts for ever from two goroutines and prints each id once it is durable.
	children["put-loop"] = func(dir, arg string) error {
		d := spool.Open(dir)
		var wg sync.WaitGroup
		for w := range 2 {
			wg.Go(func() {
				for i := 0; ; i++ {
					id := fmt.Sprintf("%s-%d-%d", arg, w, i)
					if _, err := d.Put(id, spool.JSON, []byte(strings.Repeat(id+",", i%50*20))); err != nil {
						fmt.Println("error:", err)
						return
					}
					fmt.Println(id)
				}
			})
		}
		wg.Wait()
		return nil
	}
}

func TestNothingAcknowledgedIsLostToAKill(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	var acked []string
	for round := range 40 {
		acked = append(acked, putUntilKilled(t, path, round)...)
	}
	check := func(entries []spool.Entry) {
		t.Helper()
		listed := map[string]bool{}
		for _, e := range entries {
			if _, _, err := d.Read(e); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
			listed[e.ID] = true
		}
		for _, id := range acked {
			if !listed[id] {
				t.Errorf("%s was acknowledged and is not listed", id)
			}
		}
	}
	check(list(t, d))

	// What the killed writers left is drained if it is complete, else swept.
	left := 0
	for _, name := range lsNames(t, path) {
		if strings.HasPrefix(name, ".tmp-") {
			left++
			age(t, filepath.Join(path, name), 2*time.Hour)
		}
	}
	before := len(acked)
	entries := list(t, d)
	check(entries)
	adopted := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name, ".tmp-") {
			adopted++
		}
	}
	swept, err := d.Sweep(time.Now())
	if err != nil || adopted+swept != left {
		t.Errorf("%d temporary files: %d listed, %d swept, error %v", left, adopted, swept, err)
	}
	t.Logf("%d acknowledged, %d temporary files left: %d complete, %d swept", before, left, adopted, swept)
}

// putUntilKilled runs a writer, kills it at some point after some
// acknowledgements, and returns those.
func putUntilKilled(t *testing.T, path string, round int) []string {
	cmd := child(t, "put-loop", path, fmt.Sprint(round))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	enough := rand.IntN(20)
	var acked []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "error:") {
			t.Error(lines.Text())
		}
		acked = append(acked, lines.Text())
		if len(acked) == enough+1 {
			// A little later, so that the kill falls anywhere in a Put.
			time.AfterFunc(time.Duration(rand.IntN(1500))*time.Microsecond, func() {
				if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Error(err)
				}
			})
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the writer ended by itself")
	}
	return acked
}
