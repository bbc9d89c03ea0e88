package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// bench is one run: the programs, the payloads, and a temporary directory for everything else.
type bench struct {
	ctx            context.Context // of the whole run
	journal, small program         // the measured programs: journal and journal-hook
	tiny           string          // path of hello world
	dir            string
	root           string // of the project of the hooks
	hooks          recording
	scripts        []script // of the sessions of generated logs, in turn
	n              int      // number of samples of a hook
	events         int      // number of events of the long log
	null           *os.File // /dev/null
	stores         []*store
	full           *store // the store with the long log; nil until it is needed
}

// program is a measured program.
type program struct {
	path string
	noop string // path of a program with the same imports that does nothing
}

//go:embed testdata/tiny.go
var tinySource string

// prepare makes the directory, the project and the baseline programs. close removes them.
func (b *bench) prepare(journal, recorded, played string) {
	b.dir = must(os.MkdirTemp("", "journal-bench-"))
	b.root = b.file("project")
	b.null = must(os.OpenFile(os.DevNull, os.O_RDWR, 0))
	check(os.MkdirAll(filepath.Join(b.root, ".git"), 0o700))
	b.hooks = load(recorded, b.root)
	for _, path := range must(filepath.Glob(played)) {
		b.scripts = append(b.scripts, load(path, b.root).script())
	}
	if len(b.scripts) == 0 {
		check(fmt.Errorf("no recording of sessions is %s", played))
	}
	b.tiny = b.build("tiny", tinySource)
	b.journal = b.program(journal)
	b.small = b.program(filepath.Join(filepath.Dir(journal), "journal-hook"+filepath.Ext(journal)))
}

// program returns the measured program at a path, and builds its no-op.
func (b *bench) program(path string) program {
	path = must(filepath.Abs(path))
	must(os.Stat(path)) // an error if it was not built
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	imports := output(exec.CommandContext(b.ctx, "go", "list", "-f", `{{join .Imports "\n"}}`, "journal/cmd/"+name))
	return program{path, b.build("noop-"+name, noopSource(imports))}
}

// noopSource returns the source of a program with some imports that does nothing. No hook can be faster than loading it and
// initialising its packages.
func noopSource(imports string) string {
	var b strings.Builder
	b.WriteString("package main\n")
	for path := range strings.FieldsSeq(imports) {
		fmt.Fprintf(&b, "import _ %q\n", path)
	}
	return b.String() + "func main() {}\n"
}

// file returns the path of a file of this run.
func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }

// build builds a program with the flags with which journal is built, and returns its path.
func (b *bench) build(name, source string) string {
	check(os.WriteFile(b.file(name+".go"), []byte(source), 0o600))
	c := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.file(name), b.file(name+".go"))
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	output(c)
	return b.file(name)
}

// stop ends every owner.
func (b *bench) stop(ctx context.Context) {
	for _, s := range b.stores {
		s.stop(ctx)
	}
}

// close ends every owner and removes the directory. It does not use the run's context, which ends at an interrupt.
func (b *bench) close() {
	b.stop(context.Background())
	if b.dir != "" {
		check(os.RemoveAll(b.dir))
	}
}

// newStore returns a store with a home of its own. Its environment is the whole environment of its processes.
func (b *bench) newStore() *store {
	home := b.file(fmt.Sprintf("home%d", len(b.stores)))
	s := &store{bin: b.journal.path, small: b.small.path, dir: filepath.Join(home, "journal")}
	s.env = []string{"HOME=" + home, "JOURNAL_DIR=" + s.dir, "JOURNAL_IDLE=20m", "LANG=C", "PATH=" + os.Getenv("PATH")}
	b.stores = append(b.stores, s)
	return s
}

// start runs a hook, which starts the owner of a store, and waits until the owner serves. Then the path of the project is
// recorded, too.
func (b *bench) start(s *store) {
	must(b.send(s.hook(), b.calls(0)(0), b.null))
	eventually(b.ctx, "the owner serves", func() bool {
		nc := s.drained(b.ctx)
		if nc != nil {
			nc.Close()
		}
		return nc != nil
	})
}

// filled returns the store with the long log, which it generates at the first call.
func (b *bench) filled() *store {
	if b.full == nil {
		b.full = b.newStore()
		b.generate(b.full, b.events, sessionEvents)
	}
	return b.full
}

// sessions returns the number of sessions of the long log.
func (b *bench) sessions() int { return b.events / sessionEvents }

// send runs one hook process with a payload.
func (b *bench) send(p process, hook payload, stdout *os.File) (time.Duration, error) {
	f, err := b.stdin(hook)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return p.run(f, stdout)
}

// stdin returns a file with a payload, for the stdin of a hook. The caller closes it. It is synced, so that writing it does not
// slow the process.
func (b *bench) stdin(hook payload) (*os.File, error) {
	f, err := os.CreateTemp(b.dir, "payload-")
	if err != nil {
		return nil, err
	}
	if err = json.NewEncoder(f).Encode(hook); err == nil {
		err = f.Sync()
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	return f, errors.Join(err, os.Remove(f.Name()))
}

// leastText is less than the length of any recovery text, in bytes, and more than that of other answers.
const leastText = 500

// restart runs the hook after a compaction of a session, with more added to the payload. An answer without a recovery text is a
// failure.
func (b *bench) restart(s *store, session string, more payload) time.Duration {
	var hook payload
	for _, h := range b.hooks.named("SessionStart") {
		if h["source"] == "compact" {
			hook = h.with(payload{"session_id": session}).with(more)
		}
	}
	out := must(os.Create(b.file("answer")))
	defer out.Close()
	took := must(b.send(s.hook(), hook, out))
	if must(out.Stat()).Size() < leastText {
		check(fmt.Errorf("session %s got no recovery text within %v", session, took))
	}
	return took
}
