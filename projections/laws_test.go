package projections_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	_ "journal/projections/all"
)

// The laws below are checked for every declared projection, including new ones.

func apply(tb rapid.TB, f *projections.Fold, log ...events.Envelope) *projections.Fold {
	tb.Helper()
	for _, e := range log {
		f.Apply(e)
	}
	return f
}

// each checks a law of every projection separately.
func each(t *testing.T, law func(*rapid.T, projections.Projection)) {
	for _, p := range projections.All() {
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) { law(rt, p) })
		})
	}
}

// asJSON returns what scripts see of a state.
func asJSON(tb rapid.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatalf("%T is no JSON: %v", v, err)
	}
	return string(b)
}

// isList reports whether a type is a list that shares its elements with others: its content is what All yields.
func isList(t reflect.Type) bool {
	return strings.HasPrefix(t.Name(), "List[") || strings.HasPrefix(t.Name(), "keyed[")
}

// spelled returns the content of a state as a text that shares nothing with it, including fields outside of JSON and
// unexported ones.
func spelled(state any) string { return string(appendSpelled(nil, reflect.ValueOf(state))) }

func appendSpelled(b []byte, v reflect.Value) []byte {
	if isList(v.Type()) {
		b = append(b, '[')
		for e := range v.MethodByName("All").Call(nil)[0].Seq() {
			b = append(appendSpelled(b, e), ',')
		}
		return append(b, ']')
	}
	switch v.Kind() {
	case reflect.Struct:
		if !v.CanAddr() {
			there := reflect.New(v.Type()).Elem()
			there.Set(v)
			v = there
		}
		b = append(b, '{')
		for i := range v.NumField() {
			f := v.Field(i)
			b = append(append(b, v.Type().Field(i).Name...), ':')
			b = append(appendSpelled(b, reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()), ',')
		}
		return append(b, '}')
	case reflect.Slice, reflect.Array:
		b = append(b, '[')
		for i := range v.Len() {
			b = append(appendSpelled(b, v.Index(i)), ',')
		}
		return append(b, ']')
	case reflect.Map:
		var entries []string
		for k, e := range v.Seq2() {
			entries = append(entries, string(appendSpelled(append(appendSpelled(nil, k), ':'), e)))
		}
		slices.Sort(entries)
		return fmt.Appendf(b, "%s", entries)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(b, "nil"...)
		}
		return appendSpelled(b, v.Elem())
	case reflect.String:
		return append(append(strconv.AppendInt(b, int64(v.Len()), 10), ' '), v.String()...)
	}
	return fmt.Append(b, v.Interface())
}

// mustEqual compares states as values, with nil equal to empty, and as JSON if the two differ.
func mustEqual(tb rapid.TB, what string, want, got map[string]any) {
	tb.Helper()
	if !reflect.DeepEqual(want, got) { // cheaper than cmp
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			tb.Fatalf("%s (-want +got):\n%s", what, diff)
		}
	}
	for name := range want {
		if w, g := asJSON(tb, want[name]), asJSON(tb, got[name]); w != g {
			tb.Fatalf("%s: %s is %s, want %s", what, name, g, w)
		}
	}
}

// TestResume: a fold that was cloned at any point continues as if it had not been.
func TestResume(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		about := drawProjection(rt)
		log, of, config := drawLog(rt, about), drawTarget(rt), drawConfig(rt)
		whole := apply(rt, projections.NewFold(of, config, projections.All()...), log...)
		first := projections.NewFold(of, config, projections.All()...)
		for cut := range len(log) + 1 {
			if cut > 0 {
				apply(rt, first, log[cut-1])
			}
			if len(log) > 50 && cut%37 != 0 {
				continue
			}
			second := apply(rt, first.Clone(), log[cut:]...)
			mustEqual(rt, "resumed", whole.States(), second.States())
			if whole.Seq() != second.Seq() || whole.Count() != second.Count() || whole.Last() != second.Last() {
				rt.Fatalf("cut %d: seq %d count %d last %v, want %d, %d, %v", cut,
					second.Seq(), second.Count(), second.Last(), whole.Seq(), whole.Count(), whole.Last())
			}
		}
	})
}

// TestNoReachBack: a state that was taken does not change later, on any of many branches.
func TestNoReachBack(t *testing.T) {
	t.Parallel()
	each(t, func(rt *rapid.T, p projections.Projection) {
		log, of, config := drawLog(rt, p), drawTarget(rt), drawConfig(rt)
		type taken struct {
			state   any
			spelled string
		}
		var all []taken
		take := func(f *projections.Fold) {
			s := f.States()[p.Name()]
			all = append(all, taken{s, spelled(s)})
		}
		trunk := projections.NewFold(of, config, p)
		take(trunk)
		for _, e := range log[:min(len(log), 100)] {
			branch := trunk.Clone()
			take(apply(rt, trunk, e))
			// The branch first gets other events, mostly of the same kind, and only then those of the trunk.
			other := drawEnvelope(rt, p)
			if i := slices.IndexFunc(p.Reads(), func(r projections.Read) bool { return r.Type == e.Type }); i >= 0 && rapid.Bool().Draw(rt, "same kind") {
				m := drawMeta(rt, p)
				m.EchoOf = 0
				other = eventstest.Wrap(rt, drawEvent(rt, declarationOf(e.Type)), m)
			}
			other.Seq = e.Seq + 1
			e.Seq += 2
			take(apply(rt, branch, other))
			take(apply(rt, branch, e))
		}
		for _, k := range all {
			if now := spelled(k.state); k.spelled != now {
				rt.Fatalf("a state taken before changed (-was +is):\n%s", cmp.Diff(k.spelled, now))
			}
		}
	})
}

// TestRepeat: the same events in the same order give the same state.
func TestRepeat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		about := drawProjection(rt)
		log, of, config := drawLog(rt, about), drawTarget(rt), drawConfig(rt)
		one := apply(rt, projections.NewFold(of, config, projections.All()...), log...)
		two := apply(rt, projections.NewFold(of, config, projections.All()...), log...)
		mustEqual(rt, "folded again", one.States(), two.States())
	})
}

// TestAloneIsAsTogether: a projection gives the same result alone and among others: none sees another's state.
func TestAloneIsAsTogether(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		about := drawProjection(rt)
		log, of, config := drawLog(rt, about), drawTarget(rt), drawConfig(rt)
		together := apply(rt, projections.NewFold(of, config, projections.All()...), log...).States()
		for _, p := range projections.All() {
			alone := apply(rt, projections.NewFold(of, config, p), log...).States()
			mustEqual(rt, "alone", map[string]any{p.Name(): together[p.Name()]}, alone)
		}
	})
}

// within reports whether an event is in a scope of a target (ADR-0015).
func within(s projections.Scope, of projections.Target, m events.Meta) bool {
	switch s {
	case projections.Lane:
		return m.Project == of.Project && m.Session == of.Session && m.Lane == of.Lane
	case projections.Session:
		return m.Project == of.Project && m.Session == of.Session
	case projections.Project:
		return m.Project == of.Project
	}
	return true
}

// indifferent turns e into an event that does not concern p: of a type that p does not read, outside the scope at which
// p reads it, an echo, or of a future version.
func indifferent(t *rapid.T, p projections.Projection, of projections.Target, e events.Envelope) events.Envelope {
	for _, r := range p.Reads() {
		if r.Type != e.Type || e.EchoOf != 0 || !within(r.Scope, of, e.Meta) {
			continue
		}
		switch away := evenly(0, 1, 2, 3).Draw(t, "away"); {
		case away == 0:
			e.EchoOf = 1
		case away == 1 || r.Scope == projections.User:
			e.TypeVer += 1000
		case r.Scope == projections.Project || away == 2:
			e.Project = "elsewhere"
		case r.Scope == projections.Session:
			e.Session = "another"
		default:
			e.Lane = "aside"
		}
	}
	return e
}

// TestIndifference: an event that a projection does not read at its scope does not change its state.
func TestIndifference(t *testing.T) {
	t.Parallel()
	each(t, func(rt *rapid.T, p projections.Projection) {
		log, of, config := drawLog(rt, p), drawTarget(rt), drawConfig(rt)
		log = log[:min(len(log), 30)]
		want := apply(rt, projections.NewFold(of, config, p), log...)
		got := projections.NewFold(of, config, p)
		insert := func(seq uint64) {
			for i := range rapid.IntRange(0, 3).Draw(rt, "inserted") {
				e := indifferent(rt, p, of, drawEnvelope(rt, p))
				e.Seq = seq + uint64(i) + 1
				apply(rt, got, e)
			}
		}
		insert(0)
		for _, e := range log {
			apply(rt, got, e)
			insert(e.Seq)
		}
		mustEqual(rt, p.Name(), want.States(), got.States())
	})
}

// TestBehind: events that need an opening are left out for sessions or a project without one, and no state differs.
func TestBehind(t *testing.T) {
	t.Parallel()
	for _, p := range projections.All() {
		if !slices.ContainsFunc(p.Reads(), func(r projections.Read) bool { return len(p.SessionOpeners(r.Type))+len(p.ProjectOpeners(r.Type)) > 0 }) {
			continue
		}
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				of, config := target, drawConfig(rt)
				reads := p.Reads()
				if opened := func(r projections.Read) bool { // often nothing opens
					return slices.ContainsFunc(reads, func(o projections.Read) bool { return slices.Contains(p.ProjectOpeners(o.Type), r.Type) })
				}; rapid.Bool().Draw(rt, "closed") && slices.ContainsFunc(reads, func(r projections.Read) bool { return !opened(r) }) {
					reads = slices.DeleteFunc(reads, opened)
				}
				log := make([]events.Envelope, 12)
				for i := range log {
					r := evenly(reads...).Draw(rt, "read")
					log[i] = eventstest.Wrap(rt, drawEvent(rt, declarationOf(r.Type)), events.Meta{
						Project: of.Project, Session: evenly(of.Session, "a", "b").Draw(rt, "session"), At: int64(i) * 1e12, Seq: uint64(i + 1),
					})
				}
				needed := slices.DeleteFunc(slices.Clone(log), func(e events.Envelope) bool {
					opening, anywhere := p.SessionOpeners(e.Type), p.ProjectOpeners(e.Type)
					opened := func(o events.Envelope) bool {
						return o.Session == e.Session && slices.Contains(opening, o.Type) || slices.Contains(anywhere, o.Type)
					}
					return len(opening)+len(anywhere) > 0 && e.Session != of.Session && !slices.ContainsFunc(log, opened)
				})
				want := apply(rt, projections.NewFold(of, config, p), log...)
				got := apply(rt, projections.NewFold(of, config, p), needed...)
				mustEqual(rt, p.Name(), want.States(), got.States())
			})
		})
	}
}

// TestEveryReadMatters: a projection really reads what it declares: some event of each type, within its scope, changes
// some state. Otherwise the law of indifference would prove nothing.
func TestEveryReadMatters(t *testing.T) {
	t.Parallel()
	for _, p := range projections.All() {
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			matters := map[events.Type]bool{}
			for seed := range 2000 {
				if len(matters) == len(p.Reads()) {
					return
				}
				target := target
				if seed%2 == 1 { // some events concern subagents only
					target.Lane = "a"
				}
				log := rapid.Custom(func(rt *rapid.T) []events.Envelope {
					log := make([]events.Envelope, 6)
					for i := range log {
						r := evenly(p.Reads()...).Draw(rt, "read")
						lane := target.Lane
						if r.Scope != projections.Lane {
							lane = evenly("", "a").Draw(rt, "lane")
						}
						log[i] = eventstest.Wrap(rt, drawEvent(rt, declarationOf(r.Type)), events.Meta{
							Project: target.Project, Session: target.Session, Turn: "1", Lane: lane, At: int64(i) * 1e12, Seq: uint64(i + 1),
						})
					}
					return log
				}).Example(seed)
				f := projections.NewFold(target, projections.Config{}, p)
				for _, e := range log {
					before := spelled(f.States()[p.Name()])
					apply(t, f, e)
					if before != spelled(f.States()[p.Name()]) {
						matters[e.Type] = true
					}
				}
			}
			for _, r := range p.Reads() {
				if !matters[r.Type] {
					t.Errorf("no %s changed the state", r.Type)
				}
			}
		})
	}
}

// TestRewind: a fold of a log with rewinds is that of the log without what they took back, whether it learns of them
// on its way or from the beginning.
func TestRewind(t *testing.T) {
	t.Parallel()
	each(t, func(rt *rapid.T, p projections.Projection) {
		log, of, config := drawLog(rt, p), drawTarget(rt), drawConfig(rt)
		log = log[:min(len(log), 40)]
		var rewinds projections.Rewinds
		for i := 1; i < len(log); i++ {
			if rapid.IntRange(0, 7).Draw(rt, "rewinds") > 0 {
				continue
			}
			first := log[rapid.IntRange(0, i-1).Draw(rt, "first")].Seq
			m := drawMeta(rt, p)
			m.EchoOf = 0
			e := eventstest.Wrap(rt, events.ConversationRewound{
				First: first, Last: rapid.Uint64Range(first, log[i].Seq).Draw(rt, "last"), Files: rapid.Bool().Draw(rt, "files"),
			}, m)
			e.Seq = log[i].Seq
			log[i] = e
		}
		for _, e := range log {
			if within(projections.Project, of, e.Meta) {
				rewinds, _ = rewinds.With(e)
			}
		}
		want := projections.NewFold(of, config, p)
		for _, e := range log {
			if e.Type != events.TypeOf[events.ConversationRewound]() && !rewinds.TakenBack(e.Meta, of.Lane) {
				apply(rt, want, e)
			}
		}
		live := projections.NewFold(of, config, p)
		for i, e := range log {
			apply(rt, live, e)
			if rapid.Bool().Draw(rt, "look") && live.Stale() {
				live.Replace(apply(rt, live.Restart(), log[:i+1]...))
			}
		}
		if live.Stale() {
			live.Replace(apply(rt, live.Restart(), log...))
		}
		mustEqual(rt, "folded again", want.States(), live.States())
	})
}
