package events

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

var _ = declare("handover.noticed", "somebody else goes on with what this log left unfinished", lasting[HandoverNoticed](), reserved[HandoverNoticed]())
