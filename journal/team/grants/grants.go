// Package grants is who may read a restricted project of a device. Its events are sealed at the hub with a key that is
// sealed to each member who was granted it, in a message of the device's own that it signs (ADR-0062). Neither
// other members nor whoever runs the hub can read them.
package grants

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/nats-io/nkeys"

	"journal/journal/record"
	"journal/journal/team"
	"journal/journal/team/chunk"
	"journal/journal/wire"
)

// ErrUnread is returned when the hub has grants of this device that it cannot read: its key is another than it was.
var ErrUnread = errors.New("the hub has grants of this device that its key does not open; its member has new keys")

// Grants are the restricted projects of a journal, by key.
type Grants struct {
	// Counter is more after each change.
	Counter  uint64             `json:"counter"`
	Projects map[string]Project `json:"projects"`
	// Old are keys of projects that are not restricted any more: the hub may still have something under them.
	Old []chunk.Key `json:"old,omitempty"`
}

// Project is a restricted one. The member's own machines can always read it.
type Project struct {
	// Members are the public keys of who may read it, by name: those that the roster had first after the grant. Whoever
	// runs the hub cannot put another in the place of one later.
	Members map[string]string `json:"members"`
	Keys    []chunk.Key       `json:"keys"` // the newest last: what is shared now is sealed with that
	// Changed is the counter as of the last change of the project's; 0 where a version before made it.
	Changed uint64 `json:"changed,omitempty"`
}

// Load gives the grants of a journal.
func Load(journal string) (Grants, error) {
	return team.LoadFile(journal, team.GrantsName, none())
}

// Change is team.ChangeFile for the grants of a journal.
func Change(journal string, change func(Grants) (Grants, error)) (Grants, error) {
	return team.ChangeFile(journal, team.GrantsName, none(), change)
}

func none() Grants { return Grants{Projects: map[string]Project{}} }

// Give lets a member read a project, which is restricted from then on.
func (g Grants) Give(project, member string) Grants {
	p := g.Projects[project].clone()
	p.Members[member] = ""
	if len(p.Keys) == 0 {
		p.Keys = []chunk.Key{chunk.NewKey()}
	}
	return g.with(project, p)
}

// Take takes that right away, for what comes from then on.
func (g Grants) Take(project, member string) Grants {
	p := g.Projects[project].clone()
	delete(p.Members, member)
	p.Keys = append(slices.Clone(p.Keys), chunk.NewKey())
	return g.with(project, p)
}

// Open ends the restriction of a project: the whole team may read it.
func (g Grants) Open(project string) Grants {
	n := g.with(project, Project{})
	delete(n.Projects, project)
	n.Old = append(slices.Clone(g.Old), g.Projects[project].Keys...)
	return n
}

func (p Project) clone() Project {
	if p.Members = maps.Clone(p.Members); p.Members == nil {
		p.Members = map[string]string{}
	}
	return p
}

// Pin takes the keys of members who were granted something since from a roster, and reports whether there were any. waits
// says that there are names in it that nobody has yet.
func (g *Grants) Pin(r team.Register) (any, waits bool) {
	for project, p := range g.Projects {
		for name, key := range p.Members {
			if key != "" {
				continue
			}
			i := slices.IndexFunc(r.Members, func(m team.Registered) bool { return m.Name == name && len(m.Keys) > 0 })
			if i < 0 {
				waits = true
				continue
			}
			p.Members[name], any = r.Members[i].Keys[0], true
			p.Changed = g.Counter + 1
			g.Projects[project] = p
		}
	}
	if any {
		g.Counter++
	}
	return any, waits
}

func (g Grants) with(project string, p Project) Grants {
	n := Grants{Counter: g.Counter + 1, Projects: maps.Collect(maps.All(g.Projects)), Old: g.Old}
	p.Changed = n.Counter
	n.Projects[project] = p
	return n
}

// Restricted lists the projects that not everybody may read.
func (g Grants) Restricted() []string { return slices.Sorted(maps.Keys(g.Projects)) }

// Key gives the key that a project is sealed with now, if it is restricted.
func (g Grants) Key(project string) (k chunk.Key, restricted bool) {
	if p, ok := g.Projects[project]; ok {
		return p.Keys[len(p.Keys)-1], true
	}
	return k, false
}

// After reports whether a project was granted or revoked after the grants had a counter.
func (g Grants) After(project string, counter uint64) bool {
	return counter < cmp.Or(g.Projects[project].Changed, g.Counter)
}

// Secret is what tells a restricted project apart without telling which it is; nil for others.
func (g Grants) Secret(project string) []byte {
	if p, ok := g.Projects[project]; ok {
		return p.Keys[0].Value
	}
	return nil
}

// KeyOf gives the key that events of a subject are sealed with, of those that are.
func (g Grants) KeyOf() func(subject string) (chunk.Key, bool) {
	by := map[string]chunk.Key{}
	for project := range g.Projects {
		by[wire.Token(project)], _ = g.Key(project)
	}
	return func(subject string) (chunk.Key, bool) {
		project, _ := record.ProjectToken(subject)
		k, ok := by[project]
		return k, ok
	}
}

// Keys gives all keys by their names.
func (g Grants) Keys() map[string][]byte {
	all := map[string][]byte{}
	for _, p := range g.Projects {
		add(all, p.Keys)
	}
	add(all, g.Old)
	return all
}

func add(all map[string][]byte, keys []chunk.Key) {
	for _, k := range keys {
		all[k.ID] = k.Value
	}
}

// Merge gives grants with those that the hub has of the device, which may be later, or of a time before which the journal
// was set back: what was granted on either side counts, but for who had it taken away on the other. The counter is more
// than both where neither side has all of it.
func (g Grants) Merge(hub Grants) Grants {
	n := Grants{Counter: max(g.Counter, hub.Counter), Projects: maps.Collect(maps.All(hub.Projects)), Old: union(hub.Old, g.Old)}
	maps.DeleteFunc(n.Projects, func(project string, p Project) bool {
		_, here := g.Projects[project]
		return !here && len(lacks(p.Keys, g.Old)) == 0 // its restriction ended here
	})
	for project, p := range g.Projects {
		theirs, there := hub.Projects[project]
		if !there && len(lacks(p.Keys, hub.Old)) == 0 && !slices.Contains(slices.Collect(maps.Values(p.Members)), "") {
			continue // it ended there, and nobody was granted it here since
		}
		is, keys, keysHere := p.clone(), lacks(theirs.Keys, g.Old), p.Keys
		if there {
			keysHere = lacks(p.Keys, hub.Old)
		}
		taken, takenHere := len(lacks(keys, p.Keys)) > 0, len(lacks(keysHere, theirs.Keys)) > 0
		maps.DeleteFunc(is.Members, func(name, key string) bool { // one without a key was granted it since
			_, has := theirs.Members[name]
			return taken && key != "" && !has
		})
		for name, key := range theirs.Members {
			if _, has := p.Members[name]; !has && !takenHere {
				is.Members[name] = key
			}
		}
		is.Keys = union(keys, keysHere)
		if is.Changed = theirs.Changed; !reflect.DeepEqual(is, theirs) {
			is.Changed = max(p.Changed, hub.Counter+1)
		}
		n.Projects[project] = is
	}
	is := func(o Grants) bool {
		return o.Counter == n.Counter && reflect.DeepEqual(o.Projects, n.Projects) && len(o.Old) == len(n.Old)
	}
	if g.Counter >= hub.Counter && !is(g) || hub.Counter >= g.Counter && !is(hub) {
		n.Counter++
	}
	return n
}

// lacks gives those of some keys that others are not.
func lacks(some, others []chunk.Key) []chunk.Key {
	return slices.DeleteFunc(slices.Clone(some), func(k chunk.Key) bool {
		return slices.ContainsFunc(others, func(o chunk.Key) bool { return o.ID == k.ID })
	})
}

func union(some, others []chunk.Key) []chunk.Key { return slices.Concat(some, lacks(others, some)) }

// group is the token of subjects that grants have in the place of a device, and placePrefix begins their last.
const (
	group       = "grants"
	placePrefix = "d-"
)

// Subject is where the hub keeps the grants of a device.
func Subject(account, device string) string {
	return "E." + account + "." + group + "." + placePrefix + device
}

// Put is the subject on which a member gives them.
func Put(device string) string { return team.Put + group + "." + placePrefix + device }

// Head says whose grants they are.
type Head struct {
	Team    string `json:"team"`
	Member  string `json:"member"`
	Device  string `json:"device"`
	Counter uint64 `json:"counter"`
	// To are the public keys of members that something is sealed to, sorted.
	To []string `json:"to"`
}

// body is what they are.
type body struct {
	Own      []byte              `json:"own"`      // the Grants, sealed to the member
	Projects []map[string][]byte `json:"projects"` // of each its keys, sealed to public keys of members
}

// Recipients gives the public keys that grants are sealed to, beside the member's own.
func (g Grants) Recipients() (to []string) {
	for _, p := range g.Projects {
		to = slices.AppendSeq(to, maps.Values(p.Members))
	}
	slices.Sort(to)
	return slices.DeleteFunc(slices.Compact(to), func(key string) bool { return key == "" }) // nobody has the name yet
}

// Seal makes the message that gives them.
func (g Grants) Seal(h Head, key nkeys.KeyPair) ([]byte, error) {
	own, err := curveOf(key)
	if err != nil {
		return nil, err
	}
	self, err := own.PublicKey()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	h.To = g.Recipients()
	var b body
	if b.Own, err = own.Seal(text, self); err != nil {
		return nil, err
	}
	for _, name := range g.Restricted() {
		to, err := g.Projects[name].seal(own)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b.Projects = append(b.Projects, to)
	}
	text, err = json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return chunk.Seal(h, text, key)
}

// seal gives each member who may read a project its keys.
func (p Project) seal(own nkeys.KeyPair) (map[string][]byte, error) {
	text, err := json.Marshal(p.Keys)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for name, key := range p.Members {
		if key == "" {
			continue
		}
		to, err := publicCurve(key)
		if err == nil {
			all[key], err = own.Seal(text, to)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// Given is what a device's grants are for whoever reads.
type Given struct {
	Head
	Own    *Grants           // for another machine of the same member, else nil
	Keys   map[string][]byte // by their names
	Denied int               // projects that are not shared with whoever reads
}

// Read reads the grants of a device of a member, as somebody with a key. The error is chunk.ErrDamaged for what the
// member did not sign.
func Read(b []byte, of, device string, who team.Registered, key nkeys.KeyPair) (g Given, err error) {
	g.Keys = map[string][]byte{}
	sealed, err := chunk.Open(b, &g.Head)
	if err == nil {
		err = sealed.Verify(who.Keys)
	}
	if err == nil && (g.Team != of || g.Member != who.Name || g.Device != device) {
		err = fmt.Errorf("%w: it is of another place", chunk.ErrDamaged)
	}
	var all body
	if err == nil {
		if err = json.Unmarshal(sealed.Body, &all); err != nil {
			err = fmt.Errorf("%w: %w", chunk.ErrDamaged, err)
		}
	}
	if err != nil {
		return g, err
	}
	return g, g.open(all, who, key)
}

// open opens what is sealed to a key.
func (g *Given) open(all body, who team.Registered, key nkeys.KeyPair) error {
	own, err := curveOf(key)
	if err != nil {
		return err
	}
	public, err := key.PublicKey()
	if err != nil {
		return err
	}
	var is Grants
	if slices.Contains(who.Keys, public) && unseal(own, who.Keys, all.Own, &is) {
		g.Own, g.Keys = &is, is.Keys()
		return nil
	}
	for _, p := range all.Projects {
		var keys []chunk.Key
		if !unseal(own, who.Keys, p[public], &keys) {
			g.Denied++
		}
		add(g.Keys, keys)
	}
	return nil
}

// unseal opens what one of some public keys sealed, and reports whether it could.
func unseal(own nkeys.KeyPair, from []string, b []byte, into any) bool {
	for _, key := range from {
		sender, err := publicCurve(key)
		if err != nil {
			continue
		}
		if text, err := own.Open(b, sender); err == nil {
			return json.Unmarshal(text, into) == nil
		}
	}
	return false
}
