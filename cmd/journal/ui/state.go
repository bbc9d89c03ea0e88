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

// openItems is the number of them that are shown at first; the rest unfolds.
const openItems = 7

// panel is one projection as it was at a point.
type panel struct {
	Name, Doc string
	Seq       uint64 // of its newest change, if the state has it
	Fields    []fieldView
	Lists     []listView
	Changed   bool // by the event
}

// fieldView is one member of a state.
type fieldView struct {
	Name, Value string
}

// listView is one list of a state.
type listView struct {
	Name   string // empty: the state is the list
	Total  int
	Items  []itemView // the newest
	Folded []itemView // the older ones, empty while a drag passes
	More   int        // how many are folded
	Hidden int        // how many older ones are not on the page
}

// itemView is one item of a list.
type itemView struct {
	Gist    string
	Rest    []string
	Status  string // of a task or a port
	Changed bool   // by the event
	Seq     uint64
	Failed  bool
	Done    bool
	Gone    bool // it was replaced, retracted, dropped or deleted
	Percent int  // of a checklist; -1 for none
}

// mainPanels are the projections that people look at first, in this order. All others follow.
var mainPanels = []string{"pressure", "phase", "todos", "decisions", "files", "ports", "commands", "prompts", "plan"}

// snapshot is the JSON of every projection at a point, with only the ends of long lists.
type snapshot map[string]stateJSON

type stateJSON struct {
	json  json.RawMessage
	total int // length of a list that was cut; 0 otherwise
}

// snapshotOf encodes the states of a fold, at most so many items of a long list.
func snapshotOf(f *projections.Fold, most int) (snapshot, error) {
	all := snapshot{}
	for name, v := range f.States() {
		total := 0
		if long, ok := v.(interface{ Newest(int) (any, int) }); ok {
			if newest, n := long.Newest(most); n > most {
				v, total = newest, n
			}
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		all[name] = stateJSON{b, total}
	}
	return all, nil
}

// panels shows the state after an event, and marks what the event changed. empty are the names of projections without content.
func panels(t projections.Target, now snapshot, seq uint64, most int) (full []panel, empty []string) {
	names := slices.Clone(mainPanels)
	for _, p := range projections.All() {
		if !slices.Contains(names, p.Name()) && !p.Apart() {
			names = append(names, p.Name())
		}
	}
	show := cli.StateText{Own: t.Session}
	var info struct{ Root string }
	if json.Unmarshal(now["session"].json, &info) == nil {
		show.Root = info.Root
	}
	for _, name := range names {
		p, ok := projections.Named(name)
		if !ok {
			continue
		}
		shown := stateReader{show, seq, most}.panel(now[name])
		shown.Name, shown.Doc = name, p.Doc()
		if len(shown.Fields)+len(shown.Lists) == 0 {
			empty = append(empty, name)
			continue
		}
		full = append(full, shown)
	}
	return full, empty
}

// stateReader turns one state into a panel.
type stateReader struct {
	cli.StateText
	seq  uint64 // of the event
	most int    // bounds the items of a list
}

// nothing are values that are not shown.
var nothing = []string{"", "none", "no", "0", "#0"}

func (r stateReader) panel(p stateJSON) (shown panel) {
	if list, ok := cli.ListItems(p.json); ok {
		shown.add(r.list("", list, p.total))
	} else {
		for _, m := range cli.StateMembers(p.json) {
			if list, ok := cli.ListItems(m.Value); ok {
				shown.add(r.list(m.Name, list, 0))
			} else if m.Name == "seq" {
				shown.Seq = cli.ItemSeq(p.json)
				shown.Changed = shown.Changed || shown.Seq == r.seq
			} else if m.Name == "at" || m.Name == "id" {
				continue // the event shows it, and nobody reads it
			} else if v := r.Value(m); !slices.Contains(nothing, v) {
				shown.Fields = append(shown.Fields, fieldView{m.Words(), v})
			}
		}
	}
	return shown
}

// add adds a list unless it is empty.
func (p *panel) add(l listView) {
	if l.Total == 0 {
		return
	}
	p.Changed = p.Changed || slices.ContainsFunc(l.Items, func(it itemView) bool { return it.Changed })
	p.Lists = append(p.Lists, l)
}

// list shows the newest items of a list, newest first; tasks keep the agent's
// order.
func (r stateReader) list(name string, items []json.RawMessage, total int) listView {
	l := listView{Name: cli.SpelledName(name), Total: max(total, len(items))}
	ordered := len(items) > 1 && cli.ItemSeq(items[0]) > cli.ItemSeq(items[len(items)-1])
	if tasks := len(items) > 0 && r.item(items[0]).Status != ""; !ordered && !tasks {
		items = slices.Clone(items)
		slices.Reverse(items)
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

// shownOtherwise are details that a colour or a mark shows.
var shownOtherwise = []string{"failed", "ok", "exit 0"}

func (r stateReader) item(b json.RawMessage) itemView {
	it := itemView{Seq: cli.ItemSeq(b), Percent: -1}
	it.Changed = it.Seq == r.seq
	it.Gist, it.Rest = r.Parts(b)
	done, total := 0, 0
	for _, m := range cli.StateMembers(b) {
		switch m.Name {
		case "status":
			_ = json.Unmarshal(m.Value, &it.Status) // otherwise it is no status
		case "ok":
			it.Failed = string(m.Value) == "false"
		case "done":
			done, _ = strconv.Atoi(string(m.Value)) // otherwise it is no number
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
	// What is shown otherwise.
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
	Place  int // among all events of the session
	N      int // among the listed events, from 0
	Event  line
	Body   body // left out while a drag passes
	Panels []panel
	Empty  []string
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

// serveState serves the state after an event, which the request names by place or event number. Of a place that a drag is
// passing it leaves out what is folded.
func (s *Server) serveState(w http.ResponseWriter, r *http.Request) error {
	m, err := s.moment(r, targetOf(r))
	if err != nil {
		return err
	}
	return s.write(w, r, "state", m)
}

func (s *Server) moment(r *http.Request, t projections.Target) (m moment, err error) {
	h, err := s.histories.history(r.Context(), t)
	if err != nil {
		return m, err
	}
	rows := h.Rows()
	most := shownItems
	if r.FormValue("passing") != "" {
		most = openItems
	}
	m = moment{Target: t, Path: s.path(t), Place: placeOf(r, rows)}
	if len(rows) == 0 {
		return m, nil
	}
	m.Seq = rows[m.Place].Seq
	f := filterOf(r)
	n, listed := slices.BinarySearch(f.places(rows), m.Place)
	if !listed { // the listed event before it
		n = max(n-1, 0)
	}
	m.N = n
	lines, err := s.lines(r.Context(), t, rows, everything, m.Place, 1)
	if err != nil || len(lines) == 0 {
		return m, err
	}
	m.Event = lines[0]
	if most == shownItems {
		if m.Body, err = s.body(r.Context(), t, m.Seq); err != nil {
			return m, err
		}
	}
	fold, err := h.At(r.Context(), m.Seq)
	if err != nil {
		return m, err
	}
	m.Level = projections.Pressure.In(fold)
	now, err := snapshotOf(fold, most)
	if err != nil {
		return m, err
	}
	m.Panels, m.Empty = panels(t, now, m.Seq, most)
	return m, nil
}

// number reads an event number, 0 for none.
func number(r *http.Request, name string) uint64 {
	n, err := strconv.ParseUint(r.FormValue(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
