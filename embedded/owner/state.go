package owner

import (
	"context"
	"encoding/json"

	"github.com/nats-io/nats.go"

	"journal/journal/wire"
	"journal/projections"
)

// onState answers with the kept state of a lane as it is. The caller compares it with
// a replay, so it is not moved forward first.
func (o *Owner) onState(_ context.Context, m *nats.Msg) {
	o.touch()
	reply := wire.StateReply{Wire: wire.Version}
	var r wire.StateRequest
	err := wire.Decode(m.Data, &r)
	if err == nil {
		err = o.state(projections.Target{Project: r.Project, Session: r.Session, Lane: r.Lane}, &reply)
	}
	if err != nil {
		reply = wire.StateReply{Wire: wire.Version, Error: err.Error()}
	}
	o.reply(m, reply)
}

func (o *Owner) state(t projections.Target, reply *wire.StateReply) (err error) {
	fold, config, ok := o.answers.Folded(t)
	if !ok {
		return nil
	}
	if reply.Config, err = json.Marshal(config); err != nil {
		return err
	}
	reply.Seq, reply.States = fold.Seq(), map[string][]byte{}
	for name, state := range fold.States() {
		if reply.States[name], err = json.Marshal(state); err != nil {
			return err
		}
	}
	return nil
}
