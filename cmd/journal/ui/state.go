package ui

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/projections"
)

// shownItems bounds the items of a list on a page, the newest.
const shownItems = 16

// openItems is the number of these items that are shown at first, besides changed ones. The others can be unfolded.
const openItems = 7

// panel is the state of one projection after an event.
type panel struct {
	Name, Doc string
	Seq       uint64 // the event of its newest change; 0 if the state does not have it
	Fields    []fieldView
	Lists     []listView
	Changed   bool // the event changed it
}

// fieldView is one member of a state.
type fieldView struct {
	Name, Value string
}

// listView is one list of a state.
type listView struct {
	Name   string // empty: the state is the list
	Total  int
	Items  []itemView // the newest items, and those that the event changed
	Folded []itemView // older items; while a person drags through the chart they are left out
	More   int        // number of folded items, also of those that are left out
	Hidden int        // number of older items that are not on the page
}

// itemView is one item of a list.
type itemView struct {
	Gist    string
	Rest    []string
	Status  string // of a task or a port
	Changed bool   // the event changed it
	Seq     uint64 // its newest event
	Failed  bool
	Done    bool
	Gone    bool // it was replaced, retracted, dropped or deleted
	Percent int  // of a checklist; -1 for none
}

// mainPanels are the projections whose panels come first, in this order. All others follow.
var mainPanels = []projections.Projection{
	projections.Pressure, projections.Phase, projections.Todos, projections.Decisions, projections.Files,
	projections.Ports, projections.Commands, projections.Prompts, projections.Plan,
}

// panels returns the panels of a fold's states after the event seq, in which the changes by that event are marked. most bounds the
// items of a list; the newest are shown. empty holds the names of projections without content.
func panels(t projections.Target, f *projections.Fold, seq uint64, most int) (shown []panel, empty []string, err error) {
	all := slices.Clone(mainPanels)
	for _, p := range projections.All() {
		if !slices.Contains(all, p) && !p.AllSessions() {
			all = append(all, p)
		}
	}
	reader := stateReader{cli.StateText{Own: t.Session, Root: projections.SessionInfo.In(f).Root}, seq, most}
	states := f.States()
	for _, p := range all {
		next, err := reader.panel(states[p.Name()])
		if err != nil {
			return nil, nil, err
		}
		next.Name, next.Doc = p.Name(), p.Doc()
		if len(next.Fields)+len(next.Lists) == 0 {
			empty = append(empty, p.Name())
			continue
		}
		shown = append(shown, next)
	}
	return shown, empty, nil
}

// stateReader turns one state into a panel.
type stateReader struct {
	cli.StateText
	seq  uint64 // of the event
	most int    // bounds the items of a list
}

// panel returns the panel of one state, without name and doc.
func (r stateReader) panel(state any) (shown panel, err error) {
	total := 0 // length of the whole list, if the state is a list that is cut
	if long, ok := state.(interface{ Newest(int) (any, int) }); ok {
		if newest, n := long.Newest(r.most); n > r.most {
			state, total = newest, n
		}
	}
	b, err := json.Marshal(state)
	if err != nil {
		return shown, err
	}
	if list, ok := cli.ListItems(b); ok {
		shown.add(r.list("", list, total))
		return shown, nil
	}
	for _, m := range cli.StateMembers(b) {
		list, isList := cli.ListItems(m.Value)
		switch {
		case isList:
			shown.add(r.list(m.Name, list, 0))
		case m.Name == "seq":
			shown.Seq = cli.ItemSeq(b)
			shown.Changed = shown.Changed || shown.Seq == r.seq
		case m.Name == "at" || m.Name == "id": // the event's line has the time, and a person does not need the id
		case (m.Name == "level" || m.Name == "notified") && r.Value(m) == projections.LevelNone: // the pressure is low, or was not announced
		default:
			if v := r.Value(m); v != "" && !cli.IsEmptyValue(m.Value) {
				shown.Fields = append(shown.Fields, fieldView{m.Words(), v})
			}
		}
	}
	return shown, nil
}

// add adds a list to the panel unless it is empty.
func (p *panel) add(l listView) {
	if l.Total == 0 {
		return
	}
	p.Changed = p.Changed || slices.ContainsFunc(l.Items, func(it itemView) bool { return it.Changed })
	p.Lists = append(p.Lists, l)
}

// list returns the newest items of a list, newest first. Tasks, which have a status, keep the agent's order. total is the
// length of the whole list if items is only its end, else 0.
func (r stateReader) list(name string, items []json.RawMessage, total int) listView {
	l := listView{Name: cli.SpelledName(name), Total: max(total, len(items))}
	newestFirst := len(items) > 1 && cli.ItemSeq(items[0]) > cli.ItemSeq(items[len(items)-1])
	areTasks := len(items) > 0 && r.item(items[0]).Status != ""
	if !newestFirst && !areTasks {
		items = slices.Clone(items)
		slices.Reverse(items)
	}
	if areTasks { // the newest are the last
		items = items[max(0, len(items)-shownItems):]
	}
	for _, item := range items[:min(len(items), r.most)] {
		it := r.item(item)
		if len(l.Items) < openItems || it.Changed {
			l.Items = append(l.Items, it)
		} else {
			l.Folded = append(l.Folded, it)
		}
	}
	l.More = min(l.Total, shownItems) - len(l.Items)
	l.Hidden = max(0, l.Total-shownItems)
	return l
}

// shownOtherwise are details that the page shows by a colour or a mark.
var shownOtherwise = []string{"failed", "ok", "exit 0"}

// item returns one item of a list.
func (r stateReader) item(b json.RawMessage) itemView {
	it := itemView{Seq: cli.ItemSeq(b), Percent: -1}
	it.Changed = it.Seq == r.seq
	it.Gist, it.Rest = r.Parts(b)
	done, total := 0, 0
	for _, m := range cli.StateMembers(b) {
		switch m.Name {
		case "status":
			_ = json.Unmarshal(m.Value, &it.Status) // empty for a value that is no text
		case "ok":
			it.Failed = string(m.Value) == "false"
		case "done":
			done, _ = strconv.Atoi(string(m.Value)) // 0 for a value that is no number
		case "total":
			total, _ = strconv.Atoi(string(m.Value))
		case "replaced_by", "retracted", "dropped_seq", "deleted_seq":
			it.Gone = it.Gone || string(m.Value) != "0"
		}
	}
	it.Done = it.Status == "completed"
	if total > 0 {
		it.Percent = 100 * done / total
	}
	// The page shows these details in other ways.
	it.Rest = slices.DeleteFunc(it.Rest, func(s string) bool {
		return strings.HasPrefix(s, "#") || s == it.Status || slices.Contains(shownOtherwise, s)
	})
	it.Rest = plain(it.Rest)
	return it
}

// moment is the state of a lane at one of its events.
type moment struct {
	Target projections.Target
	Path   string
	Seq    uint64
	Place  int // index of the event among all events of the session
	N      int // index among the listed events, of this event or the last one before it
	Event  line
	Body   body // left out while a person drags through the chart
	Panels []panel
	Empty  []string // names of projections without content
	Level  projections.PressureState
}

// use is the used part of a window, and the window, in tokens.
type use struct{ Used, Window string }

// Use returns the use of the context; nil if it is unknown.
func (m moment) Use() *use {
	if m.Level.Window == 0 {
		return nil
	}
	return &use{text.Short(m.Level.Window * int64(m.Level.UsedPercent) / 100), text.Short(m.Level.Window)}
}

// serveState serves the state after an event, which the request names by place or event number. The form value passing means
// that a person drags through the chart: then it leaves out the body and the folded items.
func (s *Server) serveState(w http.ResponseWriter, r *http.Request) error {
	m, err := s.moment(r, targetOf(r))
	if err != nil {
		return err
	}
	return s.write(w, r, "state", m)
}

// moment returns the moment that a request names (placeOf).
func (s *Server) moment(r *http.Request, t projections.Target) (m moment, err error) {
	h, rows, err := s.histories.history(r.Context(), t)
	if err != nil {
		return m, err
	}
	place := placeOf(r, rows)
	m = moment{Target: t, Path: s.path(t), Place: place, Seq: rows[place].Seq}
	n, listed := slices.BinarySearch(filterOf(r).places(rows), place)
	if !listed { // n is the index of the next listed event; the one before it is taken
		n = max(n-1, 0)
	}
	m.N = n
	lines, err := s.lines(r.Context(), t, rows, filter{Internal: true}, place, 1)
	if err != nil {
		return m, err
	}
	m.Event = lines[0]
	most := openItems
	if r.FormValue("passing") == "" {
		most = shownItems
		if m.Body, err = s.body(r.Context(), t, m.Seq); err != nil {
			return m, err
		}
	}
	fold, err := h.At(r.Context(), m.Seq)
	if err != nil {
		return m, err
	}
	m.Level = projections.Pressure.In(fold)
	m.Panels, m.Empty, err = panels(t, fold, m.Seq, most)
	return m, err
}

// number returns a form value that is an event number; 0 if it is not a number.
func number(r *http.Request, name string) uint64 {
	n, _ := strconv.ParseUint(r.FormValue(name), 10, 64)
	return n
}
