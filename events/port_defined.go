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
