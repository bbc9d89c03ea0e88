package events

import "errors"

// PortDefined says that a unit of work with a checklist exists, or that its
// title, checklist or dependencies are others now (S0.10).
type PortDefined struct {
	Port  string   `json:"port"` // its id
	Title string   `json:"title,omitempty"`
	Items []string `json:"items,omitempty"` // the checklist
	After []string `json:"after,omitempty"` // ids of ports that have to be complete first
}

func (PortDefined) event() {}

func (p PortDefined) validate() error { return needsPort(p.Port) }

var _ = declare("port.defined", "a unit of work with a checklist exists", lasting[PortDefined](), appendable[PortDefined]())

func needsPort(id string) error {
	if id == "" {
		return errors.New("port is required")
	}
	return nil
}

// PortChanged says that a port was started, blocked or completed.
type PortChanged struct {
	Port   string `json:"port"`
	Status string `json:"status"` // running, blocked, complete
	Reason string `json:"reason,omitempty"`
}

func (PortChanged) event() {}

func (p PortChanged) validate() error {
	switch p.Status {
	case "running", "blocked", "complete":
		return needsPort(p.Port)
	}
	return errors.New(`status is "running", "blocked" or "complete"`)
}

var _ = declare("port.changed", "a port was started, blocked or completed", lasting[PortChanged](), appendable[PortChanged]())

// PortTicked says that an item of a port's checklist is done, or is not after
// all.
type PortTicked struct {
	Port string `json:"port"`
	Item string `json:"item"` // its text
	Undo bool   `json:"undo,omitempty"`
}

func (PortTicked) event() {}

func (p PortTicked) validate() error {
	if p.Item == "" {
		return errors.New("item is required")
	}
	return needsPort(p.Port)
}

var _ = declare("port.ticked", "an item of a port's checklist is done", lasting[PortTicked](), appendable[PortTicked]())
