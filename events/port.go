package events

// PortDefined says that a unit of work with a checklist exists, or that its
// title, checklist or dependencies are others now (S0.10).
type PortDefined struct {
	Port  string   `json:"port"` // its id
	Title string   `json:"title,omitempty"`
	Items []string `json:"items,omitempty"` // the checklist
	After []string `json:"after,omitempty"` // ids of ports that have to be complete first
}

func (PortDefined) event() {}

var _ = declare[PortDefined]("port.defined", "a unit of work with a checklist exists", lasting, appendable, requires("port"))

// PortChanged says that a port was started, blocked, completed or removed.
type PortChanged struct {
	Port   string `json:"port"`
	Status string `json:"status"` // running, blocked, complete, removed
	Reason string `json:"reason,omitempty"`
}

func (PortChanged) event() {}

func (p PortChanged) validate() error {
	return oneOf("status", p.Status, "running", "blocked", "complete", "removed")
}

var _ = declare[PortChanged]("port.changed", "a port was started, blocked, completed or removed", lasting, appendable, requires("port"))

// PortTicked says that an item of a port's checklist is done, or is not after
// all.
type PortTicked struct {
	Port string `json:"port"`
	Item string `json:"item"` // its text
	Undo bool   `json:"undo,omitempty"`
}

func (PortTicked) event() {}

var _ = declare[PortTicked]("port.ticked", "an item of a port's checklist is done", lasting, appendable, requires("item"), requires("port"))
