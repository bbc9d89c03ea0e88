package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"journal/events/text"
	"journal/journal"
	"journal/journal/sock"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/knowledge"
)

// auditFlags are the choices of journal audit.
type auditFlags struct {
	target     targetFlags
	compaction int
	lost, now  bool
	all        bool
	html       string
	asJSON     bool
}

var _ = verb(func(a *app) *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:   "audit",
		Short: "what each compaction lost",
		Long: `Says for every compaction of a session what was known before it and what became of it, with
the evidence: promoted to lasting knowledge, in the summary, preserved by the agent itself,
reinjected by a recovery text that arrived, offered by one of which that is not known, on disk,
or lost. The first look at a session also reads in the agent's transcript which texts arrived.

  journal audit                  a table, and what was lost, most valuable first
  journal audit --lost           only what was lost; journal restore brings it back
  journal audit --html page.html one page with the session's timeline
  journal audit --all            what survives compactions, by kind, over every session

Exit codes: 0; 1 failure; 2 usage; 3 the log is damaged.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.compaction < 0 {
				return usage(c, errors.New("--compaction counts from 1"))
			}
			if f.all && (f.lost || f.now || f.html != "" || f.compaction > 0 || f.target != (targetFlags{})) {
				return usage(c, errors.New("--all counts over every session and goes with --json alone"))
			}
			return a.read(c.Context(), func(log *journal.Log) error {
				if f.all {
					return a.auditAll(c.Context(), log, f.asJSON)
				}
				return a.audit(c.Context(), log, f)
			})
		},
	}
	f.target.add(c)
	c.Flags().IntVar(&f.compaction, "compaction", 0, "only this compaction of the session, from 1")
	c.Flags().BoolVar(&f.lost, "lost", false, "only what was lost, most valuable first")
	c.Flags().BoolVar(&f.now, "now", false, "also say what is on disk now; that is no evidence of what the agent knew")
	c.Flags().BoolVar(&f.all, "all", false, "count over every session, by kind")
	c.Flags().StringVar(&f.html, "html", "", "write one self-contained page to this file")
	c.Flags().BoolVar(&f.asJSON, "json", false, "one JSON document")
	return c
})

func (a *app) audit(ctx context.Context, log *journal.Log, f auditFlags) error {
	target, report, err := a.audited(ctx, log, f.target)
	if err != nil {
		return err
	}
	if f.compaction > 0 {
		if report, err = only(report, f.compaction); err != nil {
			return err
		}
	}
	if f.html != "" {
		return a.writePage(ctx, log, target, report, f.html)
	}
	var disk onDisk
	if f.now {
		disk = a.diskNow(a.root(f.target.project))
	}
	switch {
	case f.asJSON && f.lost:
		return a.printJSON(disk.mark(report.Lost()))
	case f.asJSON:
		return a.printJSON(disk.markAll(report))
	case f.lost:
		a.printLost(report.Lost(), disk)
		return nil
	}
	a.printAudit(target, report, disk)
	return nil
}

// audited audits a session, after its receipts are in the log: the audit itself
// reads nothing but that (DECISIONS 2.7).
func (a *app) audited(ctx context.Context, log *journal.Log, t targetFlags) (projections.Target, audit.Report, error) {
	target, err := a.target(ctx, log, t)
	if err != nil {
		return target, audit.Report{}, err
	}
	if err := a.confirmReceipts(ctx, target); err != nil {
		a.note("the agent's transcript could not be looked at: " + err.Error())
	}
	settings := a.ownerConfig().Settings()
	report, err := audit.Audit(ctx, log, target, settings.Fold)
	return target, report, damaged(err)
}

// receiptWait bounds the reading of a transcript, which may have some hundred
// megabytes.
const receiptWait = 30 * time.Second

// confirmReceipts asks the owner to record what the session's transcript shows.
// Where no owner runs beside this process the log says what it says.
func (a *app) confirmReceipts(ctx context.Context, t projections.Target) error {
	ctx, cancel := context.WithTimeout(ctx, receiptWait)
	defer cancel()
	nc, err := journal.Connect(ctx, a.dir)
	if errors.Is(err, sock.ErrNoOwner) {
		return nil
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	body, err := wire.Encode(wire.ConfirmRequest{Project: t.Project, Session: t.Session})
	if err != nil {
		return err
	}
	m, err := nc.RequestWithContext(ctx, wire.Confirm, body)
	if err != nil {
		return err
	}
	var reply wire.Reply
	if err := wire.Decode(m.Data, &reply); err != nil {
		return err
	}
	if reply.Error != "" {
		return errors.New(reply.Error)
	}
	return nil
}

// only keeps one compaction of each lane.
func only(r audit.Report, ordinal int) (audit.Report, error) {
	kept := audit.Report{Session: r.Session, Compactions: []audit.Compaction{}}
	for _, c := range r.Compactions {
		if c.Ordinal == ordinal {
			kept.Compactions = append(kept.Compactions, c)
		}
	}
	if len(kept.Compactions) == 0 {
		return kept, withHint(fmt.Errorf("the session has no compaction %d", ordinal), "journal audit")
	}
	return kept, nil
}

// label gives a status for people.
func label(s audit.Status) string { return strings.ReplaceAll(string(s), "_", " ") }

// shownLost is how many lost items the table is followed by.
const shownLost = 20

func (a *app) printAudit(t projections.Target, r audit.Report, disk onDisk) {
	fmt.Fprintf(a.out, "session %s of %s\n", t.Session, t.Project)
	if len(r.Compactions) == 0 {
		fmt.Fprintln(a.out, "it was never compacted: nothing was lost")
		return
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\nCOMPACTION\tWHEN\tTRIGGER\tKNOWN\t")
	for _, s := range audit.Statuses() {
		fmt.Fprintf(w, "%s\t", strings.ToUpper(label(s)))
	}
	fmt.Fprintln(w)
	for _, c := range r.Compactions {
		name := fmt.Sprint(c.Ordinal)
		if c.Lane != "" {
			name += " of " + c.Lane
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t", name, c.At.Time().Local().Format("01-02 15:04"), c.Trigger, len(c.Items))
		for _, s := range audit.Statuses() {
			fmt.Fprintf(w, "%d\t", c.Counts[s])
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // to a.out, whose errors nobody looks at elsewhere either
	lost := r.Lost()
	if len(lost) == 0 {
		fmt.Fprintln(a.out, "\nnothing was lost")
		return
	}
	fmt.Fprintf(a.out, "\nlost, most valuable first (journal restore ITEM... brings back):\n")
	shown := lost[:min(len(lost), shownLost)]
	a.printLost(shown, disk)
	if left := len(lost) - len(shown); left > 0 {
		fmt.Fprintf(a.out, "… %d more: journal audit --lost\n", left)
	}
}

func (a *app) printLost(lost []audit.Item, disk onDisk) {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, it := range lost {
		said := it.Text
		if it.Kind == knowledge.Failure && it.Detail != "" {
			said += "  → " + it.Detail
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", it.ID, disk.word(it), text.CutUnits(oneLine(said), 140))
	}
	_ = w.Flush()
}
