package hookrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/disk"
	"journal/journal/disk/logfile"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/journal/wire/proc"
)

// Time budgets of a hook (ADR-0018, ADR-0004 rules 9 and 11). Claude Code ends SessionEnd hooks after 1.5 s, and others after
// 30 s or more.
const (
	stdinWait = 900 * time.Millisecond  // to read stdin
	hookWait  = 1200 * time.Millisecond // of a hook, without the wait for an answer
	quickWait = 700 * time.Millisecond  // of a hook that the client itself soon ends
	// saveWait is reserved for writing to the spool after the budget is used up, even if all of it went into waiting for stdin, or
	// the laptop slept.
	saveWait = 300 * time.Millisecond
)

// call is one call of an agent. A process that handles only this call ends normally, or by a time limit, a signal or a panic:
// always with exit code 0, unless the person's own statusline command ended with another.
type call struct {
	Env
	began   time.Time
	id      string                       // id of the first event; "" makes a new one
	guarded chan struct{}                // closed when signals are handled: a signal then saves the pending request
	pending atomic.Pointer[wire.Request] // the request that is not durable yet; nil if there is none
	printed atomic.Bool                  // an answer was printed
	late    atomic.Bool                  // stdin did not end in time
}

// Hook handles one hook: `journal hook AGENT [EVENT]` and `journal-hook AGENT [EVENT]`.
func Hook(e Env, args []string) {
	h := begin(e)
	defer h.recoverPanic()
	if term.IsTerminal(int(h.In.Fd())) {
		fmt.Fprintln(h.Out, "usage: journal hook AGENT [EVENT], with the hook's JSON on stdin. `journal install` sets it up.")
		return
	}
	timer := h.watch(h.Pace.Of(hookWait)) // before any file is opened
	FaultsToLog(h.Dir)
	if len(args) == 0 {
		h.logError("usage", errors.New("no agent named"))
		return
	}
	dialect, report, err := h.read(args, h.stdin(), "")
	if err != nil {
		h.logError("usage", err)
		return
	}
	switch {
	case report.Quick:
		timer.Reset(max(h.Pace.Of(saveWait), h.left(quickWait)))
	case report.AnswerKind != "":
		left := h.left(hookWait + report.Wait)
		if left < saveWait {
			left = h.Pace.Of(saveWait)
		}
		timer.Reset(left)
	}
	if h.worthKeeping(report) {
		h.send(dialect, report, func(r wire.Request) (client.Receipt, error) {
			<-h.guarded
			return h.Appender().Send(context.Background(), r, report.Wait)
		})
	}
}

// read reads a hook of the agent that the arguments name. cwd is the directory of the call; "" means that of this process.
func (h *call) read(args []string, stdin io.Reader, cwd string) (*agents.Dialect, agents.Report, error) {
	dialect, err := agents.Named(args[0])
	if err != nil {
		return nil, agents.Report{}, err
	}
	event := ""
	if len(args) > 1 {
		event = args[1]
	}
	return dialect, dialect.Read(stdin, agents.Env{Getenv: h.Getenv, Now: h.began, Event: event, Cwd: cwd}), nil
}

// left returns the rest of a time budget that began with the call.
func (h *call) left(budget time.Duration) time.Duration {
	return time.Until(h.began.Add(h.Pace.Of(budget)))
}

// worthKeeping reports whether anything in a report can be kept. It logs why a report is broken, and counts the event as lost if
// nothing can be kept because stdin came late.
func (h *call) worthKeeping(report agents.Report) bool {
	if report.Hook.Broken == "" {
		return report.Hook.Kind != events.Nothing
	}
	h.logError("payload", errors.New(report.Hook.Broken), "hook", report.Hook.Native)
	if report.Hook.Session != "" || len(report.Hook.Rest) > 0 {
		return true
	}
	if h.late.Load() && !client.PausedAt(h.Dir, "") {
		h.countLost(1, report.Hook.Broken)
	}
	return false
}

// deliver makes a request durable, in the log or in the spool.
type deliver func(wire.Request) (client.Receipt, error)

// send stores the report and prints the answer for the agent. While a person has paused the recording it does neither.
func (h *call) send(d *agents.Dialect, report agents.Report, deliver deliver) {
	hook := report.Hook
	if hook.Kind == events.SessionStart && hook.PID != 0 {
		hook.Process = proc.Of(hook.PID)
	}
	logUndelivered := func(err error) { h.logError("undelivered", err, "hook", hook.Native, "session", hook.Session) }
	envelopes, err := client.ReportOf(h.id, hook, report.Key)
	if err != nil {
		logUndelivered(err)
		return
	}
	if client.PausedAt(h.Dir, hook.Root) {
		return
	}
	request, err := client.NewRequest(envelopes, hook.Root)
	if err != nil {
		logUndelivered(err)
		return
	}
	withoutFiles := request
	h.pending.Store(&withoutFiles) // saved if the process must end while it reads files
	files, last, remember := h.observations(hook, envelopes[0].Meta, len(envelopes))
	request.Files = files
	if report.AnswerKind != "" {
		request.Answer = &wire.AnswerRequest{
			Kind: report.AnswerKind, Event: envelopes[0].ID, Last: cmp.Or(last, envelopes[len(envelopes)-1].ID),
			Lang: Language(h.Getenv), Units: agents.Units, Vital: agents.Vital,
		}
	}
	h.pending.Store(&request)
	receipt, err := deliver(request)
	h.pending.Store(nil)
	if errors.Is(err, errNotCarried) || errors.Is(err, client.ErrPaused) {
		return // another process handles the hook, or recording is paused
	}
	if err != nil {
		h.logError("undelivered", err, "hook", hook.Native, "session", hook.Session, "id", envelopes[0].ID)
		if errors.Is(err, client.ErrUndelivered) {
			h.print(h.countUndelivered(d, hook, len(request.Events), err))
		}
		return
	}
	answer := d.Answer(hook, receipt.To, receipt.Text)
	if hook.Kind == events.SessionStart {
		answer = agents.Join(answer, h.lossMessage(d, hook))
	}
	h.print(answer)
	remember()
	if hook.Kind == events.SessionStart {
		h.exportSession(d.Vars.Exports, hook.Session)
		if h.ReplaceOwner != nil {
			if err := h.ReplaceOwner(); err != nil {
				h.logError("successor", err)
			}
		}
	}
}

// print prints the answer by one write, because the client passes an incomplete JSON document to the model as text
// (docs/CLIENTS.md §5). It prints only the first answer of a call.
func (h *call) print(answer []byte) {
	if len(answer) == 0 || h.printed.Swap(true) {
		return
	}
	if _, err := h.Out.Write(answer); err != nil {
		h.logError("answer", err)
	}
}

// exportSession exports the session's id to the session's shell commands, so that `journal decide` in them finds the right one of
// two sessions of a project. variable is the environment variable in which the agent names the file for exports.
func (h *call) exportSession(variable, session string) {
	path := h.Getenv(variable)
	if path == "" || session == "" || strings.ContainsAny(session, "'\n") {
		return
	}
	f, err := disk.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		h.logError("session variable", err)
		return
	}
	_, err = fmt.Fprintf(f, "export JOURNAL_SESSION='%s'\n", session)
	if err = errors.Join(err, f.Close()); err != nil {
		h.logError("session variable", err)
	}
}

// watch makes the process end after wait, or on a signal. Events that are not durable by then go to the spool, even if an earlier
// attempt to store them still hangs: both attempts have the same ids, so the events are stored once.
func (h *call) watch(wait time.Duration) *time.Timer {
	signal.Ignore(syscall.SIGPIPE)
	h.guarded = make(chan struct{})
	go func() {
		defer h.recoverPanic()
		// This is done in the background, because the runtime takes 0.2 ms and there is no request to be saved yet.
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
		close(h.guarded)
		<-signals
		h.leave("ended by a signal")
	}()
	return time.AfterFunc(wait, func() {
		defer h.recoverPanic()
		h.leave("out of time")
	})
}

// leave saves events that are not durable yet, and ends the process even if the disk or the log file hangs.
func (h *call) leave(why string) {
	h.within(2*h.Pace.Of(saveWait), func() { h.saveInTime(why) })
	os.Exit(0)
}

// within calls do, and reports whether do returned in time. Otherwise do goes on.
func (h *call) within(wait time.Duration, do func()) bool {
	done := make(chan struct{})
	go func() {
		defer h.recoverPanic()
		do()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(wait):
		return false
	}
}

// saveInTime calls save. If the disk does not answer within saveWait, it logs the events as unsaved and returns.
func (h *call) saveInTime(why string) {
	r := h.pending.Load()
	if r == nil {
		h.logError("left", errors.New(why))
		return
	}
	if !h.within(h.Pace.Of(saveWait), func() { h.save(why) }) {
		h.noteUnsaved(r, errors.New(why+", and the disk does not answer"))
	}
}

// save writes events that are not durable yet to the spool. If it cannot, it counts them as lost.
func (h *call) save(why string) {
	if r := h.pending.Load(); r != nil {
		if err := client.Open(h.Dir, client.Options{}).Save(*r); err != nil {
			h.noteUnsaved(r, fmt.Errorf("%s: %w", why, err))
			h.countLost(len(r.Events), cause(err))
		}
	}
}

// noteUnsaved logs a request that is stored nowhere, with its session.
func (h *call) noteUnsaved(r *wire.Request, err error) {
	var first events.Envelope
	if len(r.Events) > 0 {
		first, _ = events.Decode(r.Events[0], 0) // this process has encoded it
	}
	h.logError("undelivered", err, "session", first.Session, "id", first.ID)
}

// recoverPanic handles a panic, as a deferred call: it logs the panic, saves the events, and ends the process with exit code 0.
func (h *call) recoverPanic() {
	if p := recover(); p != nil {
		h.logError("panic", fmt.Errorf("%v", p), "stack", string(debug.Stack()))
		h.save("panic")
		os.Exit(0)
	}
}

// logError writes an error to the log file. task is the message of the line, and more has further attributes.
func (h *call) logError(task string, err error, more ...any) {
	attrs := append([]any{"error", err.Error(), "ms", time.Since(h.began).Milliseconds()}, more...)
	logfile.Logger(h.Dir).Log(context.Background(), slog.LevelError, task, attrs...)
}

// errLate means that stdin did not end in time.
func errLate(wait time.Duration) error { return fmt.Errorf("stdin did not end within %v", wait) }

// stdin returns a reader of the agent's input. It ends with errLate if the input has not ended after stdinWait, or if journal-hook
// read only a part of it.
func (h *call) stdin() io.Reader {
	wait := h.Pace.Of(stdinWait)
	if h.Tried != nil && h.Tried.Cut {
		h.late.Store(true)
		return cut(h.In, errLate(wait))
	}
	return h.deadline(h.In, wait)
}

// cut returns a reader of r that ends with err instead of io.EOF.
func cut(r io.Reader, err error) io.Reader { return io.MultiReader(r, failing{err}) }

// failing is a reader that returns its error.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// deadline returns a reader of r that ends with errLate if r has not ended after wait. An agent closes stdin at once, but a pipe
// that a person made may stay open.
func (h *call) deadline(r io.Reader, wait time.Duration) io.Reader {
	pr, pw := io.Pipe()
	timer := time.AfterFunc(wait, func() {
		h.late.Store(true)
		pw.CloseWithError(errLate(wait))
	})
	go func() {
		_, err := io.Copy(pw, r)
		timer.Stop()
		pw.CloseWithError(err)
	}()
	return pr
}

// dontBlockOnFaults makes Go faults that cannot be recovered (a panic in a goroutine of a library, a stack overflow, a
// map race, no memory) end the process by SIGABRT instead of exit code 2. Clients interpret exit code 2 as "block this", and
// SIGABRT as a broken hook (ADR-0005).
func dontBlockOnFaults() {
	debug.SetTraceback("crash")
	debug.SetMaxStack(64 << 20) // an endless recursion ends before it uses the memory up
	NoCoreFiles()
}

// FaultsToLog redirects stderr, and the runtime's reports of faults, to the log file of a journal directory, if the directory
// exists. Clients show stderr to people or to the model, or drop it.
func FaultsToLog(dir string) {
	if fi, err := os.Stat(filepath.Clean(dir)); err != nil || !fi.IsDir() {
		return
	}
	f, err := logfile.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	_ = debug.SetCrashOutput(f, debug.CrashOptions{})
	stderrTo(f)
}
