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

// ErrAlone is returned by Carried for a call that must be handled in a process of its own.
var ErrAlone = errors.New("the call needs a process of its own")

// errNotCarried means that the owner did not store a request.
var errNotCarried = errors.New("not stored by the owner")

// Owner is the part of the log's owner that Carried uses.
type Owner struct {
	Dir string // the journal's directory
	// Handle stores the events of a request, and makes the answer that the request asks for.
	Handle func(wire.Request) wire.Reply
	Pace   wire.Pace
}

// Carried handles a call that journal-hook sent to the owner, in the owner's process. It returns the output of journal-hook
// once the events are durable. It shares the code of Hook and Statusline, except for time limits, signals and faults, which
// journal-hook handles. If making an answer may take time, it first calls wait with the longest duration that this may take. The
// error is ErrAlone if the call must be handled in a process of its own.
func Carried(o Owner, c frame.Call, wait func(time.Duration)) (answer []byte, err error) {
	var out bytes.Buffer
	getenv := variables(c.Vars)
	h := &call{
		Env: Env{Dir: o.Dir, Out: &out, Getenv: getenv, Pace: o.Pace, Home: getenv("HOME")}, began: time.Unix(0, c.Began), id: c.ID,
	}
	if !isID(c.ID) || len(c.Args) == 0 || !filepath.IsAbs(h.Home) || !filepath.IsAbs(c.Cwd) {
		return nil, ErrAlone
	}
	var stdin io.Reader = bytes.NewReader(c.Stdin)
	if c.Late {
		h.late.Store(true)
		stdin = cut(stdin, errLate(h.Pace.Of(stdinWait)))
	}
	failed := false
	deliver := func(r wire.Request) (client.Receipt, error) {
		receipt, err := o.deliver(r)
		failed = err != nil && !errors.Is(err, client.ErrPaused)
		return receipt, err
	}
	if c.Args[0] == "statusline" {
		err = h.carriedStatus(stdin, deliver)
	} else {
		err = h.carriedHook(c, stdin, deliver, wait)
	}
	if err != nil || failed {
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
	if reply.Error != "" { // a process of the hook's own writes the spool, and logs why the owner refused
		return client.Receipt{}, errNotCarried
	}
	return client.Receipt{Seqs: reply.Seqs, Text: reply.Text, To: reply.To}, nil
}

// carriedHook handles a hook.
func (h *call) carriedHook(c frame.Call, stdin io.Reader, deliver deliver, wait func(time.Duration)) error {
	dialect, report, err := h.read(c.Args, stdin, c.Cwd)
	if err != nil {
		return err
	}
	exports := h.Getenv(dialect.Vars.Exports)
	if root := report.Hook.Root; root != "" && !filepath.IsAbs(root) || exports != "" && !filepath.IsAbs(exports) {
		return ErrAlone // the owner's working directory is another, so it cannot resolve a relative path
	}
	if report.Wait > 0 {
		wait(report.Wait)
	}
	if h.worthKeeping(report) {
		h.send(dialect, report, deliver)
	}
	return nil
}

// carriedStatus handles an input of the statusline.
func (h *call) carriedStatus(stdin io.Reader, deliver deliver) error {
	input, err := io.ReadAll(stdin)
	if err != nil {
		h.logError("statusline", err)
	}
	if line := h.recordUsage(input, deliver); line != "" {
		_, err = h.Out.Write([]byte(line + "\n"))
		return err
	}
	return nil
}

// variables returns a function like os.Getenv for a list of NAME=value.
func variables(list []string) func(name string) string {
	return func(name string) string {
		for _, v := range list {
			if value, ok := strings.CutPrefix(v, name+"="); ok && name != "" {
				return value
			}
		}
		return ""
	}
}
