package cli

import (
	"context"
	"fmt"
	"slices"

	"journal/embedded/catalogue"
	"journal/embedded/store/rebuild"
	"journal/journal"
	"journal/projections"
	"journal/replay"
	"journal/replay/search"
)

// listed is the table of sessions of the log that a verb reads.
type listed struct {
	log   *journal.Log
	table *catalogue.Table // nil: none is kept
}

// Catalogue gives what lists tell of the sessions of a log that a verb reads, as of its end. Where no
// table is kept it is made, which reads all of the log.
func Catalogue(ctx context.Context, a *App, log *journal.Log) (*catalogue.Table, error) {
	if t := a.kept(ctx, log); t != nil {
		return t, nil
	}
	show, end := a.ProgressOf("sessions read from", func(n uint64) string { return Counted(n, "event") })
	defer end()
	t, err := catalogue.Of(ctx, a.catalogueDir(), log, nil, show)
	if err == nil {
		a.listed = listed{log, t}
	}
	return t, err
}

// kept gives the table of a log that is kept, nil where a list would have to read all of the log.
func (a *App) kept(ctx context.Context, log *journal.Log) *catalogue.Table {
	if a.listed.log != log && log != nil {
		a.listed = listed{log, catalogue.Kept(ctx, a.catalogueDir(), log)}
	}
	return a.listed.table
}

// catalogueDir is where a table of the log that is read may be, empty where none is kept.
func (a *App) catalogueDir() string {
	if a.At != nil {
		return ""
	}
	return a.Dir
}

// Words gives what is kept of the words of a log that a verb searches.
func Words(ctx context.Context, a *App, log *journal.Log) []*search.Mesh {
	return catalogue.Words(ctx, a.catalogueDir(), log)
}

// Audits gives the audits that are kept of a log that a verb reads.
func Audits(a *App, log *journal.Log, c projections.Config) *catalogue.Audits {
	return catalogue.OpenAudits(a.catalogueDir(), log, c, Version())
}

// SaveAudits keeps audits for the next time, where the log has an owner. The audits hold though they cannot be
// kept, so that is only noted.
func SaveAudits(a *App, audits *catalogue.Audits) {
	if !a.owned {
		return
	}
	if err := audits.Save(); err != nil {
		a.Logger().Warn("audits", "error", err.Error())
	}
}

// Acknowledging is the command that ends the warnings about what is lost.
const Acknowledging = "journal repair --acknowledge"

// Reading is read for a verb that shows what the log says: it tells first what the log lost and nobody acknowledged,
// because whatever is shown may lack it. What cannot be read in any copy is left out, and is the error in the end.
func (a *App) Reading(ctx context.Context, f func(*journal.Log) error) error {
	return a.Read(ctx, func(log *journal.Log) (err error) {
		var holes []rebuild.Range
		log = log.PastHoles(func(first, last uint64) { holes = append(holes, rebuild.Range{First: first, Last: last}) })
		defer func() {
			if err == nil && len(holes) > 0 {
				missing := rebuild.RangesOf(holes)
				err = WithHint(damageError{fmt.Errorf("%w: %s, %s", journal.ErrHole, Counted(missing.Count(), "event"), missing)}, "journal repair")
			}
		}()
		all, err := LossesOf(ctx, log)
		if err != nil {
			return err
		}
		if n := rebuild.Unseen(all); n > 0 {
			a.Note(fmt.Sprintf("%s for good, and what follows may lack: %s; %s ends this note", Counted(n, "event")+AreLost(n), rebuild.ToldUnseen(all), Acknowledging))
		}
		return f(log)
	})
}

// AreLost ends a sentence about so many events.
func AreLost(n uint64) string {
	if n == 1 {
		return " is lost"
	}
	return " are lost"
}

// LossesOf lists what the log lost for good.
func LossesOf(ctx context.Context, log replay.Source) ([]projections.Loss, error) {
	f := projections.NewFold(projections.Target{}, projections.Config{}, projections.Losses)
	if err := replay.Forward(ctx, log, f, 0); err != nil {
		return nil, Damaged(err)
	}
	return slices.AppendSeq([]projections.Loss{}, projections.Losses.In(f).All()), nil
}
