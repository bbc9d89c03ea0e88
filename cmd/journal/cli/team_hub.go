package cli

import (
	"context"

	"journal/embedded/service"
	"journal/embedded/team"
)

// TellHub starts an owner if the team's hub has a copy of this log: the owner has the hub remove what is no longer to be there
// as soon as it is reached.
func (a *App) TellHub(ctx context.Context) {
	c, err := team.LoadCopy(a.Dir)
	if err != nil || len(c.AtHub) == 0 {
		return
	}
	a.Note("a team's hub has a copy, which goes when the hub is reached: journal team status says when")
	a.LetOwnerRun(ctx)
}

// LetOwnerRun starts an owner if JOURNAL_OWNER allows that.
func (a *App) LetOwnerRun(ctx context.Context) {
	start := a.Starter()
	if start == nil {
		return
	}
	nc, err := service.Connect(ctx, a.Dir, start)
	if err != nil {
		return // the owner, or the next hook, tries again
	}
	nc.Close()
}
