package events

import "errors"

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
