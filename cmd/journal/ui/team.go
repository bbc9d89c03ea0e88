package ui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"journal/cmd/journal/cli"
	"journal/replay"
)

// teamPath is the prefix of the paths of all pages about logs that members of the team share.
const teamPath = "/t"

// baseOf returns the prefix of the paths of all pages about a device.
func baseOf(d cli.Device) string {
	return teamPath + "/" + url.PathEscape(d.Member) + "/" + url.PathEscape(d.Device)
}

// maxCopies bounds the open copies. The last used ones stay open.
const maxCopies = 12

// errNoCopy means that no member shares a log of the device in the path.
const errNoCopy = missingError("nobody shares anything there")

// copies holds a server for each open copy of a log that a member shares. The pages of a copy have a path prefix of their own.
// It is safe for concurrent use.
type copies struct {
	main *Server // of this machine's log
	cli.TeamPages

	mu   sync.Mutex
	open *replay.Cache[cli.Device, *Server]
}

// serverOf returns the server of a device's copy. If there is none, it adds one. If too many are open then, it closes the one that
// was not used for the longest time.
func (c *copies) serverOf(d cli.Device) *Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, cached := c.open.Get(d)
	if cached {
		return s
	}
	config := c.main.config
	config.Open = func(ctx context.Context) (Log, func(), error) { return c.Open(ctx, d) }
	config.Lost = func(error) bool { return true } // a newer copy may have replaced the open one
	config.Confirm, config.Note, config.Team, config.Dir = nil, nil, nil, ""
	s = newServer(config, c.main.guard, d)
	if evicted, full := c.open.Put(d, s); full {
		evicted.Close()
	}
	return s
}

// close closes every copy.
func (c *copies) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.open.Values() {
		s.Close()
	}
}

// serve answers a request about one copy.
func (c *copies) serve(w http.ResponseWriter, r *http.Request) error {
	d := cli.Device{Member: r.PathValue("member"), Device: r.PathValue("device")}
	all, _, err := c.Devices(r.Context())
	if err != nil {
		return err
	}
	if !slices.Contains(all, d) {
		return errNoCopy
	}
	s := c.serverOf(d)
	http.StripPrefix(s.base, s.pages()).ServeHTTP(w, r)
	return nil
}

// serveTeam shows one list of the sessions that all members share, the last active first. With the form value rows it serves only
// cards, for a page that is already open.
func (c *copies) serveTeam(w http.ResponseWriter, r *http.Request) error {
	s := c.main
	from, _ := strconv.Atoi(r.FormValue("from")) // not a number: the beginning
	from = max(from, 0)
	v := sessionsView{Words: r.FormValue("q"), All: r.FormValue("all") != "", Team: true}
	devices, unread, err := c.Devices(r.Context())
	if err != nil {
		unread = []string{err.Error()}
		s.config.Logger.Warn("team", "error", err.Error())
	}
	for _, d := range devices {
		server := c.serverOf(d)
		cards, total, err := server.cards(r.Context(), query{words: v.Words, all: v.All}, 0, from+cardsAtOnce)
		if err != nil {
			unread = append(unread, s.say(r)("unread", d.String()))
			s.config.Logger.Warn("team", "device", d.String(), "error", err.Error())
			continue
		}
		v.Total += total
		for _, shown := range cards {
			shown.Whose = d.Member
			v.Cards = append(v.Cards, shown)
		}
	}
	slices.SortStableFunc(v.Cards, func(a, b cardView) int { return cmp.Compare(b.At, a.At) })
	v.Cards = v.Cards[min(from, len(v.Cards)):min(from+cardsAtOnce, len(v.Cards))]
	if from == 0 {
		v.Unread = unread
	}
	v.setNext(teamPath+"/", from, r)
	if r.FormValue("rows") != "" {
		return s.write(w, r, "cards", v)
	}
	return s.show(w, r, "sessions", s.say(r)("team", nil), "team", v)
}
