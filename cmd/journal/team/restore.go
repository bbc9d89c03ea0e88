package team

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/rebuild"
	"journal/embedded/team"
	"journal/embedded/team/peers"
	"journal/events"
	"journal/events/text"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var device string
	c := cli.NewCommand("restore FILE", "make the log of a lost laptop again from the hub's copy",
		`Takes the member's invitation and makes, in a journal directory that is empty or absent, the log that the hub has of their device: every
event that was shared, at its number. It goes on as that device, which must not come back; share again what was shared. A log that was
restored from an older backup needs no command.`,
		func(c *cobra.Command, args []string) error {
			m, err := team.ReadMember(args[0])
			if err != nil {
				return err
			}
			hub, err := peers.Reach(c.Context(), m)
			if err != nil {
				return err
			}
			defer hub.Close()
			return restoreDevice(c.Context(), a, hub, m, device)
		})
	c.Flags().StringVar(&device, "device", "", "which of the member's devices, if the hub has copies of several")
	return c
})

// restoreDevice makes the log of a device in the empty journal directory, which goes on as that device.
func restoreDevice(ctx context.Context, a *cli.App, hub *peers.Hub, m team.Member, device string) (err error) {
	from, err := deviceCopy(ctx, hub, m.Name, device)
	if err != nil {
		return err
	}
	log, err := from.Log(ctx)
	if err != nil {
		return err
	}
	// An interrupted call leaves these files. The membership is written first: a journal that has a log is then that of the device.
	lock, err := cli.LockEmptyDirectory(a, "team restore", "team", "store.new", "archive.new")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if _, err := rebuild.Resume(lock); err != nil {
		return err
	}
	if _, err := team.JoinAs(a.Dir, m, from.Device, from.Newest); err != nil {
		return err
	}
	if _, err := rebuild.Restore(ctx, lock, a.Logger(), log.Stored(ctx, events.Span{})); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "what was shared of #1 to #%d is in %s\n", from.Events, a.Dir)
	a.Note("nothing is shared until you say so again: journal team share PROJECT")
	return nil
}

// deviceCopy returns the copy of a member's device, or the only one if no device is named.
func deviceCopy(ctx context.Context, hub *peers.Hub, member, device string) (peers.Copy, error) {
	all, err := hub.Copies(ctx, member)
	if err != nil {
		return peers.Copy{}, err
	}
	var names []string
	for _, c := range all {
		if c.Device == device || device == "" && len(all) == 1 {
			return c, nil
		}
		names = append(names, fmt.Sprintf("%s (%s)", c.Device, text.Counted(c.Events, "event")))
	}
	if len(names) == 0 {
		return peers.Copy{}, fmt.Errorf("the hub has no copy of %s", member)
	}
	return peers.Copy{}, cli.WithHint(fmt.Errorf("the hub has copies of %s", names), "journal team restore --device DEVICE FILE")
}
