package hookrun

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/journal/wire/frame"
)

// ErrAlone is returned by Carried for a call that a process of its own has to handle.
var ErrAlone = errors.New("a hook that a process of its own has to handle")

// errNotCarried means that the owner did not store a request.
var errNotCarried = errors.New("not stored by the owner")

// Owner is the interface of the log's owner for Carried.
type Owner struct {
	Dir string // of the journal
	// Handle stores the events of a request and derives the answer that is owed.
	Handle func(wire.Request) wire.Reply
	// Pace is Env.Pace.
	Pace func(time.Duration) time.Duration
}

// Carried handles a call that journal-hook sent to the owner, in the owner's process. When the events are durable it returns
// what journal-hook prints. It runs the same code as Hook without what ends a process: journal-hook handles time limits,
// signals and faults. Before a call may take longer than journal-hook waits, it passes to wait how long. The error is ErrAlone
// if a process of its own must handle the call.
func Carried(o Owner, c frame.Call, wait func(time.Duration)) (answer []byte, err error) {
	var out bytes.Buffer
	getenv := variables(c.Vars)
	h := &process{
		Env: Env{Dir: o.Dir, Out: &out, Getenv: getenv, Pace: o.Pace, Home: getenv("HOME")}, began: time.Unix(0, c.Began), id: c.ID,
	}
	if !isID(c.ID) || len(c.Args) == 0 || !filepath.IsAbs(h.Home) || !filepath.IsAbs(c.Cwd) {
		return nil, ErrAlone
	}
	var stdin io.Reader = bytes.NewReader(c.Stdin)
	if c.Late {
		h.late.Store(true)
		stdin = cut(stdin, errLate(h.pace(stdinWait)))
	}
	undelivered := false
	deliver := func(r wire.Request) (client.Receipt, error) {
		receipt, err := o.deliver(r)
		undelivered = err != nil && !errors.Is(err, client.ErrPaused)
		return receipt, err
	}
	if c.Args[0] == "statusline" {
		err = h.carriedStatus(stdin, deliver)
	} else {
		err = h.carriedHook(c, stdin, deliver, wait)
	}
	if err != nil || undelivered {
		return nil, ErrAlone
	}
	return out.Bytes(), nil
}

// deliver hands a request to the owner.
func (o Owner) deliver(r wire.Request) (client.Receipt, error) {
	if client.PausedAt(o.Dir, r.Root) {
		return client.Receipt{}, client.ErrPaused
	}
	reply := o.Handle(r)
	if reply.Paused {
		return client.Receipt{}, client.ErrPaused
	}
	if reply.Error != "" { // the hook's own process writes the spool, and reports why the owner refused
		return client.Receipt{}, errNotCarried
	}
	return client.Receipt{Seqs: reply.Seqs, Text: reply.Text, To: reply.To}, nil
}

func (h *process) carriedHook(c frame.Call, stdin io.Reader, deliver deliver, wait func(time.Duration)) error {
	dialect, report, err := h.read(c.Args, stdin, c.Cwd)
	if err != nil {
		return err
	}
	exports := h.Getenv(dialect.Vars.Exports)
	if root := report.Hook.Root; root != "" && !filepath.IsAbs(root) || exports != "" && !filepath.IsAbs(exports) {
		return ErrAlone // a relative path means something only in the hook's directory
	}
	if report.Owed != "" && report.Wait > 0 {
		wait(report.Wait)
	}
	if h.worthKeeping(report) {
		h.send(dialect, report, deliver)
	}
	return nil
}

// carriedStatus handles an input of the statusline.
func (h *process) carriedStatus(stdin io.Reader, deliver deliver) error {
	input, err := io.ReadAll(stdin)
	if err != nil {
		h.trouble("statusline", err)
	}
	if line := h.recordUsage(input, deliver); line != "" {
		_, err = h.Out.Write([]byte(line + "\n"))
		return err
	}
	return nil
}

// variables returns the value of a variable by its name, of a list of NAME=value.
func variables(all []string) func(string) string {
	return func(name string) string {
		for _, v := range all {
			if value, ok := strings.CutPrefix(v, name+"="); ok && name != "" {
				return value
			}
		}
		return ""
	}
}
