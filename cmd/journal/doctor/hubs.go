package doctor

import (
	"errors"

	"journal/cmd/journal/cli"
	"journal/journal/team/hub"
)

func checkHubs(x *examination) {
	dirs, err := hub.Known(x.Dir)
	if err != nil {
		x.problem("", "the list of the hubs that are run from here: %v", err)
	}
	for _, dir := range dirs {
		h, err := hub.Open(dir)
		if errors.Is(err, hub.ErrHub) { // it was removed
			continue
		}
		if err != nil {
			x.remark("", "%v", err)
			continue
		}
		switch err = h.CheckPorts(x.ctx); {
		case errors.Is(err, hub.ErrOpenPort):
			x.problem(hub.ClosingPorts, "hub %s: %v", dir, err)
		case err != nil:
			x.remark("start every node; journal team reload --hub "+dir, "hub %s: %v", dir, err)
		default:
			x.fine("%s: %s, no cluster port is open", dir, cli.Counted(len(h.Nodes), "node"))
		}
	}
}
