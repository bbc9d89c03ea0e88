package upload

import (
	"cmp"
	"time"

	"journal/embedded/team"
)

// Status is the state of a journal in its team, in a form that scripts rely on.
type Status struct {
	team.Status
	team.Share
	// Former are the devices that this journal was, until another log went on as them.
	Former []string `json:"former"`
	// HubBack is a sentence for people if the hub has less than was seen of it, else empty.
	HubBack string `json:"hub_set_back"`
	Owner   bool   `json:"owner"` // one runs; without one nothing moves
	AtHub   int    `json:"-"`     // number of this log's copies that the hub has
}

// StatusOf gathers what is known without asking anybody.
func StatusOf(dir string) (Status, error) {
	var d Status
	m, err := team.Load(dir)
	if err != nil {
		return d, err
	}
	share, noShare := team.LoadShare(dir)
	status, noStatus := team.LoadStatus(dir)
	copied, noCopy := team.LoadCopy(dir)
	seen, noSeen := team.LoadSeen(dir)
	if err := cmp.Or(noShare, noStatus, noCopy, noSeen); err != nil {
		return d, err
	}
	d.Status = status
	if !share.Covers(copied.Share) {
		copied.EraseBelow = copied.Number + 1 // what an owner will choose (Copy.Next)
	}
	d.Pending = copied.Pending(time.Now())
	d.AtHub = len(copied.AtHub)
	d.Former = append([]string{}, copied.Former...)
	d.Team, d.Member, d.Device = m.Team, m.Name, m.Device
	d.HubBack = seen.RollbackNotice()
	d.Share = share
	d.Projects = append([]string{}, share.Projects...) // never null
	return d, nil
}
