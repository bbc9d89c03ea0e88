package events

// LogAcknowledged says that a person has seen what the log lost, so that nothing warns of
// it any more. It names every loss, because a later one may lie before it.
type LogAcknowledged struct {
	Losses []PlaceRange `json:"losses"`
}

// PlaceRange is consecutive places of the log, both ends included.
type PlaceRange struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

func (LogAcknowledged) event() {}

var _ = declare("log.acknowledged", "a person has seen what is lost", lasting[LogAcknowledged](), appendable[LogAcknowledged]())
