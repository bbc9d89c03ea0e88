package events

// HandoverTaken says that a session goes on with what a session on another machine left unfinished,
// which a member of the team or the same one on another device offered (J.9). What it goes on with
// comes as events of its own: nothing of another log is folded with this one.
type HandoverTaken struct {
	Member  string   `json:"member"`
	Device  string   `json:"device"`
	Project string   `json:"project"` // key there
	Session string   `json:"session"` // there
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // whole
	AsOf    uint64   `json:"as_of"`          // newest sequence there that tells of it
}

func (HandoverTaken) event() {}

var _ = declare[HandoverTaken]("handover.taken", "a session goes on with what another machine left unfinished", lasting, appendable, requires("member", "device", "session"))

// HandoverNoticed says that the owner saw at the team's hub who went on with what a session of this
// log left unfinished (J.9). It ends nothing here: another machine decides nothing for this one.
type HandoverNoticed struct {
	Session string   `json:"session"` // of this log, that left it
	Member  string   `json:"member"`  // who goes on
	Device  string   `json:"device"`
	By      string   `json:"by"` // their session
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // its title
	Taken   int64    `json:"taken"`          // by the time of their machine, ns since 1970
}

func (HandoverNoticed) event() {}

var _ = declare[HandoverNoticed]("handover.noticed", "somebody else goes on with what this log left unfinished", lasting, reserved)
