package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/testutil"
)

// An import that is killed in the middle, or whose owner is, has lost nothing that it was told is
// durable, and another import adds the rest: everything once and in its order.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range 10 {
		file := testutil.Transcript{Session: fmt.Sprint("session-", n), IDs: fmt.Sprint(n)}
		for i := range 200 {
			file.Row("user", map[string]any{"promptId": fmt.Sprint(n, i), "message": map[string]any{"content": fmt.Sprint("prompt ", i)}})
		}
		if err := os.WriteFile(filepath.Join(dir, file.Session+".jsonl"), []byte(file.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole := newWorld(t)
	whole.imported(dir)
	want := whole.happened()
	for name, victim := range map[string]func(w *world, imports *os.Process) *os.Process{
		"import": func(_ *world, imports *os.Process) *os.Process { return imports },
		"owner":  func(w *world, _ *os.Process) *os.Process { return w.owner() },
	} {
		for _, after := range []uint64{1, 800, 1600} {
			t.Run(fmt.Sprint(name, " after ", after), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				imports := w.command("import", dir)
				if err := imports.Start(); err != nil {
					t.Fatal(err)
				}
				testutil.Eventually(t, "some of it is in the log", func() bool { return w.status().Events >= after })
				killed := victim(w, imports.Process)
				_ = killed.Kill() // it may have ended
				_ = imports.Wait()
				testutil.Eventually(t, "the owner that was killed is gone", func() bool {
					owner := w.status().Owner
					return owner == nil || owner.PID != killed.Pid
				})
				kept := w.happened()
				w.imported(dir)
				testutil.Eventually(t, "nothing waits in the spool", func() bool { return w.spooled() == 0 })
				got := w.happened()
				for session, facts := range kept {
					if len(facts) > len(got[session]) || !slices.Equal(facts, got[session][:len(facts)]) {
						t.Errorf("%s: of %d facts, some are lost or moved", session, len(facts))
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("what happened (-at once +killed in the middle):\n%s", diff)
				}
				if again := w.imported(dir); again.Events != 0 {
					t.Errorf("a third import adds %v", again.Types)
				}
			})
		}
	}
}
