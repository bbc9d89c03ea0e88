package care

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/journal/hookrun"
	"journal/journal/wire/sock"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var listen string
	var admin bool
	c := cli.NewCommand("serve", "own the log in the foreground; stop: end its owner",
		`Owns the log in the foreground until it is interrupted. It ends an owner that runs already. With
--listen it opens a loopback port with a random credential and writes a NATS context named "journal",
so that plain NATS tools can read the log:

  journal serve --listen 127.0.0.1:0 &
  nats --context journal stream ls

They may read everything and append through the request subject; see docs/FORMAT.md. Only with
--admin can they stop the owner.

journal stop stops the owner and waits until it has ended. Hooks spool meanwhile, and the next
one starts another owner.

Exit codes: 0 stopped, 1 failure, 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if c.CalledAs() == "stop" {
				return stop(c.Context(), a)
			}
			if admin && listen == "" {
				return cli.Usage(errors.New("--admin goes with --listen"))
			}
			if listen != "" { // checked first, so that a mistake does not end the running owner
				if err := embedded.CheckListen(listen); errors.Is(err, embedded.ErrNotLoopback) {
					return cli.Usage(fmt.Errorf("--listen: %w", err))
				} else if err != nil {
					return cli.WithHint(err, "journal serve --listen 127.0.0.1:0, which takes a free port")
				}
			}
			if err := ownership.Prepare(a.Dir); err != nil {
				return err
			}
			lock, err := service.TakeOver(c.Context(), a.Dir)
			if err != nil {
				return cli.WithHint(err, "journal status")
			}
			config := a.OwnerConfig()
			config.Listen, config.Admin, config.Idle = listen, admin, 0
			return serve(c.Context(), lock, config, func(o *owner.Owner) error {
				fmt.Fprintf(a.Out, "journal %s, log up to #%d\n", a.Dir, o.Head())
				if listen == "" {
					return nil
				}
				natsContext, err := o.WriteContext()
				if err != nil {
					return err
				}
				fmt.Fprintf(a.Out, "listening on %s\ncontext %s\n", o.URL(), natsContext)
				return nil
			})
		})
	c.Aliases = []string{"stop"}
	c.Flags().BoolVar(&admin, "admin", false, "let NATS tools also stop the owner")
	c.Flags().StringVar(&listen, "listen", "", "loopback address for NATS tools, 127.0.0.1:PORT (0 takes a free one)")
	return c
})

var _ = cli.Verb("", func(a *cli.App) *cobra.Command {
	var successor bool
	c := cli.NewCommand("owner", "own the log in the background (started when needed)", "",
		func(c *cobra.Command, _ []string) error {
			ownership.CloseInherited(a.Dir)
			hookrun.FaultsToLog(a.Dir) // nobody reads the stderr of a background process
			take := ownership.Inherited
			if successor {
				take = func(dir string) (*ownership.Lock, error) { return service.Succeed(c.Context(), dir) }
			}
			lock, err := take(a.Dir)
			if err != nil || lock == nil {
				return err
			}
			return serve(c.Context(), lock, a.OwnerConfig(), nil)
		})
	c.Hidden = true
	c.Flags().BoolVar(&successor, "successor", false, "replace an owner of an older build")
	return c
})

// serve owns the log until ctx ends, the owner is idle for too long, it is asked to stop, or another owner replaces it. It calls
// ready, if not nil, each time that the owner begins to answer requests.
func serve(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) error {
	hookrun.NoCoreFiles() // a core file would hold what agents and people wrote
	err := service.Serve(ctx, lock, c, ready)
	if errors.Is(err, ownership.ErrReplaced) {
		return cli.ExitWith(cli.ExitError) // the reason is in the log file
	}
	return err
}

// stop ends the running owner of the log.
func stop(ctx context.Context, a *cli.App) error {
	err := service.Stop(ctx, a.Dir)
	if errors.Is(err, sock.ErrNoOwner) && !ownership.Held(a.Dir) {
		fmt.Fprintln(a.Out, "no owner is running")
		return nil
	}
	return cli.WithHint(err, "journal status")
}
