package cli

import (
	"cmp"
	"context"
	"time"

	"journal/cmd/journal/config"
	"journal/embedded/service"
	"journal/events/text"
	"journal/journal/agents"
	"journal/projections"
	"journal/replay/recovery"
)

// RecoveryText renders a recovery as hooks do for an agent, but leaves room for the marks of [text.Marked].
func (a *App) RecoveryText(r recovery.Recovery, agent, lang string) (recovery.Text, error) {
	conf, err := config.Load(a.Getenv)
	if err != nil {
		return recovery.Text{}, err
	}
	tmpl, err := recovery.Template(lang, conf.Template(lang))
	if a.Copy != nil { // the person's own template is about sessions of this log
		tmpl, err = recovery.TheirTemplate(lang, a.Copy.Name())
	}
	if err != nil {
		return recovery.Text{}, err
	}
	r.Command = a.Command()
	var limit recovery.Limit
	if _, err := agents.Named(agent); err == nil {
		limit = recovery.Limit{Units: agents.Units, Vital: agents.Vital}
	}
	limit.Units = cmp.Or(limit.Units, recovery.DefaultUnits) - text.MarkUnits
	return recovery.Render(r, tmpl, limit)
}

// receiptWait bounds the reading of a transcript, which may have some hundred megabytes.
const receiptWait = 30 * time.Second

// ConfirmReceipts makes the owner record which recovery texts arrived, as the session's transcript shows. Without an owner it
// does nothing. If the owner fails, it prints a note that begins with transcriptName.
func (a *App) ConfirmReceipts(ctx context.Context, t projections.Target, transcriptName string) {
	ctx, cancel := context.WithTimeout(ctx, receiptWait)
	defer cancel()
	if err := service.Confirm(ctx, a.Dir, t); err != nil {
		a.Note(transcriptName + " could not be read: " + err.Error())
	}
}
