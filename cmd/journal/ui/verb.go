package ui

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
	"journal/embedded"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/hookrun"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay/recovery"
)

// uiFlags are the flags of journal ui.
type uiFlags struct {
	session, listen string
	open, forget    bool
}

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var f uiFlags
	c := cli.NewCommand("ui", "browse everything, live or at any past moment",
		`Serves pages that show what the log knows, until it is interrupted: the sessions; a session with
its timeline, its events and its state at any point; what each compaction lost, beside its
summary; decisions, ports, notes and failures of a project. The pages follow the log.

  journal ui --open
  journal ui --session 9b66
  journal ui --team                 # also what others of the team share, read only

It listens only on the loopback, at the same port each time if that is free, and loads nothing from
elsewhere. The address that it prints admits one browser, once; the return key prints another one. A
browser stays admitted for 30 days on Linux, elsewhere until journal ui ends ("ui": {"remember": DAYS}
in the configuration; 0: until journal ui ends), so bookmarks work; --forget-browsers ends that. The
pages write only notes, when a person asks.

Exit codes: 0 interrupted; 1 failure; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if f.forget {
				return forgetBrowsers(a)
			}
			return serveUI(c.Context(), a, f)
		})
	c.Flags().StringVar(&f.session, "session", "", "open this session first (id or unique prefix)")
	c.Flags().StringVar(&f.listen, "listen", "", "loopback address, 127.0.0.1:PORT, 0 for a free one (default: the same port each time)")
	c.Flags().BoolVar(&f.open, "open", false, "open the browser too")
	c.Flags().BoolVar(&f.forget, "forget-browsers", false, "forget all browsers that were admitted, and end")
	cli.TeamFlagAlone(a, c)
	return c
})

// serveUI serves the pages until it is interrupted.
func serveUI(ctx context.Context, a *cli.App, f uiFlags) error {
	l, err := listen(a, f.listen)
	if err != nil {
		return err
	}
	defer l.Close()
	var others cli.TeamPages
	if a.Colleague != "" {
		if others, err = a.Team().Pages(a); err != nil {
			return err
		}
	}
	first, err := firstPage(ctx, a, f.session)
	if err != nil {
		return err
	}
	port := l.Addr().(*net.TCPAddr).Port
	// The functions of the config are about this log, without --team.
	c := uiConfig(&cli.App{Terminal: cli.Terminal{In: a.In, Out: a.Out, Err: a.Err, Getenv: a.Getenv}, Dir: a.Dir, Pace: a.Pace})
	c.Team = others
	// The names by which a browser may reach the address.
	s := New(c, l.Addr().String(), fmt.Sprintf("localhost:%d", port), fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("[::1]:%d", port))
	newAddress := func() string { return "http://" + l.Addr().String() + s.Enter(first) }
	fmt.Fprintln(a.Out, newAddress())
	if f.open {
		if err := openBrowser(a, newAddress()); err != nil {
			a.Note("the browser was not opened: " + err.Error())
		}
	}
	if cli.IsTerminal(a.In) {
		a.Note("the address admits one browser; the return key prints another. To bookmark: http://" + l.Addr().String())
		go func() {
			for lines := bufio.NewScanner(a.In); lines.Scan(); {
				fmt.Fprintln(a.Out, newAddress())
			}
		}()
	}
	return s.Serve(ctx, l)
}

// firstPage returns the path of the page that the address leads to: that of the session that the flag names, else that of the team or
// of the day. If the log cannot be read, the error appears here and not in the browser.
func firstPage(ctx context.Context, a *cli.App, session string) (path string, err error) {
	switch {
	case session != "":
		err = a.Read(ctx, func(log *journal.Log) error {
			s, err := cli.SessionNamed(ctx, a, log, session)
			path = pathOf(projections.Target{Project: s.Project, Session: s.ID})
			if a.Copy != nil {
				path = baseOf(a.Copy.Device) + path
			}
			return err
		})
		return path, err
	case a.Colleague != "":
		path = teamPath + "/"
	default:
		path = "/"
	}
	return path, a.ReadOwn(ctx, func(*journal.Log) error { return nil })
}

// listen listens at an address. If the address is empty, it takes a port that is derived from the journal directory, so that
// bookmarks keep working, and that is outside of the ephemeral range. If that port is taken, it takes any free one.
func listen(a *cli.App, address string) (net.Listener, error) {
	if address != "" {
		if err := embedded.CheckListen(address); errors.Is(err, embedded.ErrNotLoopback) {
			return nil, cli.Usage(fmt.Errorf("--listen: %w", err))
		} else if err != nil {
			return nil, cli.WithHint(err, "journal ui --listen 127.0.0.1:0, which takes a free port")
		}
		return net.Listen("tcp", address)
	}
	sum := sha256.Sum256([]byte(a.Dir))
	port := 20_000 + int(binary.BigEndian.Uint16(sum[:]))%10_000
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err == nil {
		return l, nil
	}
	a.Note(fmt.Sprintf("port %d is taken, perhaps by another journal ui, so the address is another this time", port))
	return net.Listen("tcp", "127.0.0.1:0")
}

// forgetBrowsers empties the file of admitted browsers, also for a journal ui that runs now.
func forgetBrowsers(a *cli.App) error {
	n := len(readBrowsers(a.Dir))
	if n > 0 {
		if err := writeBrowsers(a.Dir, nil); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.Out, text.Counted(n, "browser")+" forgotten")
	return nil
}

// uiConfig returns the configuration of the server for this machine's log.
func uiConfig(a *cli.App) Config {
	settings := a.OwnerConfig().Settings
	c, _ := config.Load(a.Getenv) // its errors were reported already
	return Config{
		Open: func(ctx context.Context) (Log, func(), error) {
			log, end, err := a.OwnersLog(ctx, a.Starter())
			return log, end, cli.WithHint(err, "journal status")
		},
		Lost: journal.OwnerLeft,
		Dir:  a.Dir, Remember: time.Duration(c.UI.Remember) * cli.Day, Version: cli.Version(), Fold: func() projections.Config { return settings().Fold },
		Confirm: func(ctx context.Context, t projections.Target) {
			a.ConfirmReceipts(ctx, t, "the agent's transcript")
		},
		Note: func(ctx context.Context, n Note) (uint64, error) {
			about := client.About{Session: n.Target.Session, Lane: n.Target.Lane, Project: n.Target.Project}
			receipt, err := a.Appender().Append(ctx, about, events.NoteRecorded{Heading: n.Heading, Text: n.Text})
			if err != nil || len(receipt.Seqs) == 0 {
				return 0, err
			}
			return receipt.Seqs[0], nil
		},
		Recovery: a.RecoveryText, Cost: c.Cost,
		Lang: recovery.Language(hookrun.Language(a.Getenv)), Zone: time.Local, Logger: a.Logger(), Now: time.Now,
	}
}

// openBrowser opens an address in the person's browser. Every user of a machine can see command lines, so the browser opens a
// file that only this user can read, and that redirects to the address.
func openBrowser(a *cli.App, address string) error {
	path := filepath.Join(a.Dir, "open.html")
	page := `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=` + address + `">`
	if err := disk.Replace(path, []byte(page)); err != nil {
		return err
	}
	var c *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		c = exec.Command("open", path)
	case "windows":
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", path)
	default:
		c = exec.Command("xdg-open", path)
	}
	if err := c.Start(); err != nil {
		return err
	}
	go c.Wait() // the browser may run for long; a zombie would stay
	return nil
}
