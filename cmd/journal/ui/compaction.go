package ui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"journal/cmd/journal/page"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/timeline"
)

// compactionsView is the page about the compactions of a session.
type compactionsView struct {
	Head     head
	Headline string
	Tabs     []page.Row // all compactions
	Chosen   audit.Compaction
	Groups   []page.Group
	Summary  []stretch
	Unseen   bool         // the client hides a part of the summary from the model
	Recovery recoveryView // the recovery text that was given after the compaction
}

// knownItem is one thing that was known before a compaction.
type knownItem struct {
	audit.Item
	Path   string // of the session
	Marked bool   // the summary has it, at a known place
	Why    string // the reason for its status; empty if its group shows the reason
}

// Known returns an item of a group for the template "known".
func (v compactionsView) Known(it page.GroupItem) knownItem {
	summary := v.Chosen.SummarySeq
	return knownItem{it.Item, v.Head.Path, it.Evidence.Match != nil && it.Evidence.Seq == summary && summary != 0, it.Why}
}

// stretch is a part of a text: of a summary, or of a text that a search found.
type stretch struct {
	Text   string
	Items  []string // ids of the items that this part of a summary has
	Aside  bool     // the model does not see this part of a summary
	Marked bool     // it is a word of the search
}

// serveCompactions shows one compaction of a session, the newest by default.
func (s *Server) serveCompactions(w http.ResponseWriter, r *http.Request) error {
	about, h, _, err := s.head(r, "compactions")
	if err != nil {
		return err
	}
	report, err := s.histories.audit(r.Context(), about.Target)
	if err != nil {
		return err
	}
	v := compactionsView{Head: about}
	if len(report.Compactions) > 0 {
		v.Headline = s.say(r)("headline", report.Totals)
		if err := s.compaction(r, h, report, &v); err != nil {
			return err
		}
	}
	return s.show(w, r, "compactions", s.say(r)("compactions", nil)+" · "+cmp.Or(about.Title, about.Target.Session), "sessions", v)
}

// compaction fills in the compaction that a request names, by default the newest.
func (s *Server) compaction(r *http.Request, h *timeline.History, report audit.Report, v *compactionsView) error {
	v.Chosen = report.Compactions[len(report.Compactions)-1]
	most := 1
	for _, c := range report.Compactions {
		if c.Seq == number(r, "c") {
			v.Chosen = c
		}
		most = max(most, c.Totals.Known)
	}
	for _, c := range report.Compactions {
		v.Tabs = append(v.Tabs, page.Row{
			Name: page.CompactionName(c), Link: fmt.Sprint(v.Head.Path, "/compactions?c=", c.Seq), When: s.time(c.At.Time().UnixNano(), minutes),
			Seq: c.Seq, Totals: c.Totals, Bar: page.Segments(c.Totals, most),
		})
	}
	lang := s.lang(r)
	v.Groups = page.ByStatus(v.Chosen, func(it audit.Item) string { return why(it, lang) })
	summary, err := s.log.summary(r.Context(), v.Head.Target, v.Chosen)
	if err != nil {
		return err
	}
	v.Summary, v.Unseen = stretches(summary, v.Chosen)
	end := h.Rows()[len(h.Rows())-1].Seq
	for _, c := range report.Compactions {
		if c.Lane == v.Chosen.Lane && c.Seq > v.Chosen.Seq {
			end = min(end, c.Seq-1) // the text is from before the lane's next compaction
		}
	}
	lane := v.Head.Target
	lane.Lane = v.Chosen.Lane
	ofLane, _, err := s.histories.history(r.Context(), lane)
	if err != nil {
		return err
	}
	if err := s.lastGiven(r.Context(), ofLane, lane, end, &v.Recovery); err != nil {
		return err
	}
	if v.Recovery.Given < v.Chosen.Seq { // it was given before this compaction
		v.Recovery = recoveryView{}
	}
	return nil
}

// why describes the evidence for an item's status. The audit's reasons are in English. In other languages only the passage that has
// the item is shown: the heading of the group has the reason.
func why(it audit.Item, lang string) string {
	switch m := it.Evidence.Match; {
	case lang == "en":
		return page.Why(it)
	case m != nil:
		return "“" + m.Quote + "”"
	}
	return ""
}

// summary reads the recorded summary of a compaction; empty if there is none.
func (r *reader) summary(ctx context.Context, t projections.Target, c audit.Compaction) (string, error) {
	if c.SummarySeq == 0 {
		return "", nil
	}
	e, found, err := r.event(ctx, t, c.SummarySeq)
	if err != nil || !found {
		return "", err
	}
	return audit.SummaryIn(e)
}

// stretches splits a summary where the evidence for an item begins or ends, and where the part that the model sees begins and
// ends. unseen is set if the model does not see all of the text.
func stretches(summary string, c audit.Compaction) (all []stretch, unseen bool) {
	from, to := audit.SeenRange(summary)
	cuts := []int{0, from, to, len(summary)}
	for _, it := range c.Items {
		if m := it.Evidence.Match; m != nil && it.Evidence.Seq == c.SummarySeq && 0 <= m.From && m.From < m.To && m.To <= len(summary) {
			cuts = append(cuts, m.From, m.To)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i := range len(cuts) - 1 {
		part := stretch{Text: summary[cuts[i]:cuts[i+1]], Aside: cuts[i] < from || cuts[i] >= to}
		for _, it := range c.Items {
			if m := it.Evidence.Match; m != nil && it.Evidence.Seq == c.SummarySeq && m.From <= cuts[i] && cuts[i+1] <= m.To {
				part.Items = append(part.Items, it.ID)
			}
		}
		unseen = unseen || part.Aside && strings.TrimSpace(part.Text) != ""
		all = append(all, part)
	}
	return all, unseen
}
