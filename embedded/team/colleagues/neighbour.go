package colleagues

import (
	"context"

	"journal/embedded/team"
	"journal/embedded/team/peers"
)

// Neighbour is a project of another device that is the same as one of this log.
type Neighbour struct {
	Member, Device string
	Project
}

// Neighbours returns what others share of a project of this log. The error names each member who could not be asked or is
// not believed; the result counts.
func Neighbours(ctx context.Context, hub *peers.Hub, m team.Membership, own Project) (all []Neighbour, err error) {
	known, err := hub.Facts(ctx, m, hub.Members())
	for _, f := range known.All() {
		if own.Is.Same(f.Summary.Is) {
			all = append(all, Neighbour{f.Member, f.Device, Of(*f.Summary)})
		}
	}
	return all, err
}
