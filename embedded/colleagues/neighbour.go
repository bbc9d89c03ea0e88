package colleagues

import (
	"context"

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

// Neighbours gives what others share that is a project of this log, or may be. What one member tells and cannot be
// believed keeps nobody from the rest; the error says so then, and the result counts.
func Neighbours(ctx context.Context, hub *peers.Hub, dir string, m team.Membership, own Project) (all []Neighbour, err error) {
	known, err := hub.Facts(ctx, dir, m, hub.Members())
	for _, f := range known.All() {
		if like := git.Compare(own.Is, f.Told.Is); like != git.Different {
			all = append(all, Neighbour{f.Member, f.Device, Of(*f.Told), like})
		}
	}
	return all, err
}

// Named gives the one that is only alike and that an address or a member names.
func Named(all []Neighbour, given string) (Neighbour, bool) {
	for _, n := range all {
		address := n.Is.Remote == given || n.Is.Remote != "" && n.Is.Remote == git.Normalise(given)
		if n.Likeness == git.Alike && (address || n.Member == given) {
			return n, true
		}
	}
	return Neighbour{}, false
}
