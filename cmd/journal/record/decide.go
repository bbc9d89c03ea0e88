package record

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/hookrun"
	"journal/projections"
)

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var replaces, retracts cli.Ordinal
	c := cli.NewCommand("decide TEXT | --retract N [REASON]", "record a decision, or take one back",
		`Records a decision of the session, which is restored after a compaction. --replaces names an earlier decision of
the project that this one replaces, and --retract takes one back: neither is restored any more. N is the number
after #. It names earlier decisions that seem to be about the same subject.`,
		func(c *cobra.Command, args []string) error {
			words := strings.TrimSpace(strings.Join(args, " "))
			switch {
			case replaces != 0 && retracts != 0:
				return cli.Usage(errors.New("--replaces and --retract exclude each other"))
			case retracts == 0 && words == "":
				return cli.Usage(cli.ErrEmptyText)
			}
			if n := uint64(max(replaces, retracts)); n != 0 { // at most one of the two is set
				if err := checkDecision(a, c, t, n); err != nil {
					return err
				}
			}
			if retracts != 0 {
				return a.Record(c, t, events.DecisionRetracted{Decision: uint64(retracts), Reason: words})
			}
			receipt, err := a.Append(c, t, events.DecisionRecorded{Text: words, Replaces: uint64(replaces)})
			if err != nil {
				return err
			}
			nameAlike(a, c, t, receipt, words, uint64(replaces))
			return a.PrintReceipt(receipt)
		})
	t.AddNew(c)
	c.Flags().Var(&replaces, "replaces", "the earlier decision that this one replaces")
	c.Flags().Var(&retracts, "retract", "the decision to take back; the text says why")
	return cli.AllowAgents(a.JSONFlag(c), "replaces", "retract", "json")
})

// checkDecision returns an error unless a sequence is that of a decision of the project that still holds.
func checkDecision(a *cli.App, c *cobra.Command, t cli.TargetFlags, seq uint64) error {
	all, err := cli.StateOf(a, c, t, projections.Decisions)
	if err != nil {
		return err
	}
	for d := range all.Backward() {
		switch {
		case d.Seq != seq:
		case d.Replaced != 0:
			return cli.WithHint(fmt.Errorf("#%d was replaced by #%d", seq, d.Replaced), fmt.Sprintf("journal show %d", d.Replaced))
		case d.Retracted != 0:
			return cli.WithHint(fmt.Errorf("#%d was taken back in #%d", seq, d.Retracted), fmt.Sprintf("journal show %d", d.Retracted))
		default:
			return nil
		}
	}
	return noDecision(a, c, all, seq)
}

// noDecision returns the error for an event that is not in all, the decisions of the project. If the event repeats one of them, the
// error names the one that it repeats. If it is a decision of another project, the error names the project, unless an agent asks.
func noDecision(a *cli.App, c *cobra.Command, all projections.DecisionsState, seq uint64) error {
	decided := events.TypeOf[events.DecisionRecorded]()
	failed := cli.WithHint(fmt.Errorf("#%d is no decision of this project", seq), "journal log --type "+string(decided))
	err := a.Read(c.Context(), func(log *journal.Log) error {
		for e, err := range log.Events(c.Context(), events.Span{After: seq - 1, Until: seq}, events.Selector{Type: decided}) {
			if err != nil {
				return cli.Damaged(err)
			}
			decision, _ := events.As[events.DecisionRecorded](e)
			for d := range all.Backward() {
				if d.Session == e.Session && d.Text == decision.Text {
					return cli.WithHint(fmt.Errorf("#%d repeats #%d", seq, d.Seq), fmt.Sprintf("the same with %d", d.Seq))
				}
			}
			if !a.Confined {
				failed = cli.WithHint(fmt.Errorf("#%d is a decision of project %s", seq, e.Project), "the same with --session "+journal.ShortID(e.Session))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return failed
}

// maxAlike is the number of decisions that nameAlike names at most.
const maxAlike = 3

// nameAlike prints notes about earlier decisions that the new decision may replace. r is the receipt of the new decision, and
// replaced the sequence that it replaces already, or 0. nameAlike prints none if the decision was spooled, if no owner may be
// started, or after an error.
func nameAlike(a *cli.App, c *cobra.Command, t cli.TargetFlags, r cli.Receipt, decision string, replaced uint64) {
	if r.Spooled || len(r.Seqs) == 0 || hookrun.StartsNoOwner(a.Getenv) {
		return
	}
	all, _ := cli.StateOf(a, c, t, projections.Decisions)
	found := 0
	for d := range all.Backward() {
		if d.Seq == r.Seqs[0] || d.Seq == replaced || d.Text == decision || !d.Holds() || !alike(d.Text, decision) {
			continue
		}
		a.Note(fmt.Sprintf("this may replace #%d of %s: %s; if so: %s --retract %d", d.Seq,
			d.At.Time().Format(time.DateOnly), text.CutLine(d.Text, 120), a.Advice("journal decide"), d.Seq))
		if found++; found == maxAlike {
			return
		}
	}
}

// alike reports whether two decisions seem to be about one subject: they have at least two topics in common, and at least half
// of the topics of the one with fewer.
func alike(a, b string) bool {
	fewer, more := topics(a), topics(b)
	if len(fewer) > len(more) {
		fewer, more = more, fewer
	}
	common := 0
	for topic := range fewer {
		if more[topic] {
			common++
		}
	}
	return common >= 2 && 2*common >= len(fewer)
}

// topics returns the words of a text in lower case, without those of at most three characters, which seldom name a subject. In place
// of a word that begins in Chinese, Japanese or Korean it returns each pair of neighbouring characters of that word.
func topics(s string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes := []rune(w)
		if runes[0] > unicode.MaxLatin1 && unicode.In(runes[0], unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			for i := 1; i < len(runes); i++ {
				all[string(runes[i-1:i+1])] = true
			}
		} else if len(runes) > 3 {
			all[w] = true
		}
	}
	return all
}
