package owner

import (
	"context"
	"encoding/json"

	"github.com/nats-io/nats.go"

	"journal/journal/wire"
	"journal/projections"
)

// onState answers a request for the cached state of a lane. It does not bring the cache up to date: the caller compares the cached state
// with a replay up to the same event.
func (o *Owner) onState(_ context.Context, m *nats.Msg) {
	o.touch()
	reply, err := o.state(m.Data)
	if err != nil {
		reply = wire.StateReply{Error: err.Error()}
	}
	reply.Wire = wire.Version
	o.reply(m, reply)
}

// state returns the answer to an encoded StateRequest. The answer is empty if the lane has no cached state.
func (o *Owner) state(request []byte) (reply wire.StateReply, err error) {
	var r wire.StateRequest
	if err := wire.Decode(request, &r); err != nil {
		return reply, err
	}
	fold, config, ok := o.answers.Folded(projections.Target{Project: r.Project, Session: r.Session, Lane: r.Lane})
	if !ok {
		return reply, nil
	}
	if reply.Config, err = json.Marshal(config); err != nil {
		return reply, err
	}
	reply.Seq, reply.States = fold.Seq(), map[string][]byte{}
	for name, state := range fold.States() {
		if reply.States[name], err = json.Marshal(state); err != nil {
			return reply, err
		}
	}
	return reply, nil
}
