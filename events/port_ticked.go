package events

import "errors"

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
