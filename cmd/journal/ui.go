package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/ui"
	"journal/embedded"
	"journal/embedded/service"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/hookrun"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay"
)

// uiFlags are the flags of journal ui.
type uiFlags struct {
	session, listen string
	open            bool
}

var _ = verb(func(a *app) *cobra.Command {
	var f uiFlags
	c := &cobra.Command{
		Use:     "ui",
		GroupID: looking,
		Short:   "see it in a browser: live, with a slider through time",
		Long: `Serves pages that show what the log knows, until it is interrupted: the sessions; a session with
its timeline, its events and its state at any point; what each compaction lost, beside what its
summary says; decisions, ports, notes and failures of a project. They go on with the log.

  journal ui --open
  journal ui --session 9b66
  journal ui --team                 # also what others of the team share, read only

It listens on the loopback alone, and loads nothing from elsewhere. The address that it prints lets
one browser in, once; the return key gives another one. The pages write nothing but notes, when
a person asks for it.

Exit codes: 0 interrupted; 1 failure; 2 usage.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := embedded.CheckListen(f.listen); errors.Is(err, embedded.ErrNotLoopback) {
				return usage(c, fmt.Errorf("--listen: %w", err))
			} else if err != nil {
				return withHint(err, "journal ui --listen 127.0.0.1:0, which takes a free port")
			}
			return serveUI(c.Context(), a, f)
		},
	}
	c.Flags().StringVar(&f.session, "session", "", "begin with this session (id or unique prefix)")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "loopback address, 127.0.0.1:PORT (0 takes a free one)")
	c.Flags().BoolVar(&f.open, "open", false, "open the browser too")
	c.Flags().StringVar(&a.colleague, "team", "", "also what is shared at the team's hub: =MEMBER, =MEMBER/DEVICE, or by all others")
	c.Flags().Lookup("team").NoOptDefVal = everyone
	return c
})

// serveUI serves the pages until it is interrupted.
func serveUI(ctx context.Context, a *app, f uiFlags) error {
	others, err := teamOf(a)
	if err != nil {
		return err
	}
	first := "/"
	switch {
	case f.session != "":
		err = a.read(ctx, func(log *journal.Log) error {
			s, err := sessionNamed(ctx, a, log, f.session)
			if err != nil {
				return err
			}
			if first = ui.Find(s); a.at != nil {
				first = ui.FindAt(ui.Place{Member: a.at.Member, Device: a.at.Device}, projections.Target{Project: s.Project, Session: s.ID})
			}
			return nil
		})
	case others != nil:
		first = "/t/"
		fallthrough
	default:
		err = a.readOwn(ctx, func(*journal.Log) error { return nil })
	}
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return withHint(err, "journal ui --listen 127.0.0.1:0, which takes a free port")
	}
	address := l.Addr().(*net.TCPAddr)
	own := *a
	own.colleague = "" // what pages do is about this log
	config := uiConfig(&own)
	config.Team = others
	s := ui.New(config, ui.Hosts(l.Addr().String(), address.Port)...)
	enter := func() string { return "http://" + l.Addr().String() + s.Enter(first) }
	fmt.Fprintln(a.out, enter())
	if f.open {
		if err := openBrowser(a, enter()); err != nil {
			a.note("the browser was not opened: " + err.Error())
		}
	}
	if isTerminal(a.in) {
		a.note("the address lets one browser in; the return key gives another")
		go func() {
			for lines := bufio.NewScanner(a.in); lines.Scan(); {
				fmt.Fprintln(a.out, enter())
			}
		}()
	}
	return s.Serve(ctx, l)
}

// uiConfig says what the pages are made of.
func uiConfig(a *app) ui.Config {
	settings := a.ownerConfig().Settings
	return ui.Config{
		Open: func(ctx context.Context) (ui.Log, func(), error) { return uiLog(ctx, a) }, Lost: connectionLost,
		Fold:    func() projections.Config { return settings().Fold },
		Confirm: func(ctx context.Context, t projections.Target) { confirmReceipts(ctx, a, t, "the agent's transcript") },
		Note: func(ctx context.Context, n ui.Note) (uint64, error) {
			about := client.About{Session: n.Target.Session, Lane: n.Target.Lane, Project: n.Target.Project}
			receipt, err := a.appender().Append(ctx, about, events.NoteRecorded{Heading: n.Heading, Text: n.Text})
			if err != nil || len(receipt.Seqs) == 0 {
				return 0, err
			}
			return receipt.Seqs[0], nil
		},
		Recovery: func(r replay.Recovery, agent string, lang string) (replay.Text, error) {
			return recoveryText(a, r, agent, lang)
		},
		Lang: replay.Language(hookrun.Language(a.getenv)), Zone: time.Local, Logger: a.logger(),
	}
}

// uiLog reaches the log for as long as a page looks at it.
func uiLog(ctx context.Context, a *app) (ui.Log, func(), error) {
	nc, err := service.Connect(ctx, a.dir, a.starter())
	if err != nil {
		return nil, nil, withHint(err, "journal status")
	}
	log, err := logOver(ctx, a, nc)
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return log, nc.Close, nil
}

// openBrowser opens an address. Command lines are shown to every user of a machine, so the
// browser is given a file that only this one can read, which leads on.
func openBrowser(a *app, address string) error {
	path := filepath.Join(a.dir, "open.html")
	page := `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=` + strings.ReplaceAll(address, "&", "&amp;") + `">`
	if err := disk.Replace(path, []byte(page), 0o600); err != nil {
		return err
	}
	return browse(path)
}
