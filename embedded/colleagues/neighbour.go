package colleagues

import (
	"context"
	"errors"
	"fmt"

	"journal/journal/git"
	"journal/journal/team"
	"journal/journal/team/peers"
)

// Neighbour is a project of others that is one of this log, or may be.
type Neighbour struct {
	Member, Device string
	Project
	Likeness git.Likeness // Same or Alike, by what git and names say
}

// Neighbours gives what others share that is a project of this log, or may be. What one member shares and
// cannot be read keeps nobody from the rest; the error says so then, and the result counts.
func Neighbours(ctx context.Context, hub *peers.Hub, m team.Membership, own Project) (all []Neighbour, err error) {
	var trouble error
	for _, of := range hub.OfEach(ctx, hub.Members()) {
		trouble = errors.Join(trouble, of.Err)
		for _, c := range of.Copies {
			if c.Member == m.Name && c.Device == m.Device {
				continue
			}
			var theirs []Project
			log, err := c.Log(ctx)
			if err == nil {
				theirs, err = Projects(ctx, log)
			}
			if err != nil {
				trouble = errors.Join(trouble, fmt.Errorf("what %s shares: %w", c.Member, err))
			}
			for _, p := range theirs {
				if like := git.Compare(own.Is, p.Is); like != git.Different {
					all = append(all, Neighbour{c.Member, c.Device, p, like})
				}
			}
		}
	}
	return all, trouble
}

// Named gives the one that is only alike and that an address or a member names.
func Named(all []Neighbour, given string) (Neighbour, bool) {
	for _, n := range all {
		if n.Likeness == git.Alike && (n.Is.Remote != "" && n.Is.Remote == git.Normalise(given) || n.Is.Remote == given || n.Member == given) {
			return n, true
		}
	}
	return Neighbour{}, false
}
