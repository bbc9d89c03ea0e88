package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Who comes in over TCP has an account of its own, toolsAccount, which sees of the log's account what it imports. The
// server checks no permission on the subject of an answer, and none on what a consumer delivers to; here both stay in
// the tools' account, where nobody takes them for a request.

const (
	toolsAccount = "TOOLS"
	usherUser    = "usher" // the owner's own connection to toolsAccount

	createSubject = "$JS.API.CONSUMER.CREATE.>"
	// toolsWait bounds the making of a tool's consumer, and toolsRest how long one is kept that nobody asks.
	toolsWait = 5 * time.Second
	toolsRest = 5 * time.Minute
)

// imported are the subjects of the log's account that tools may ask. Making a consumer is not among them: usher does it
// for them.
var imported = []string{
	"JOURNAL.v1.append", "JOURNAL.v1.status", "JOURNAL.v1.drain", "JOURNAL.v1.confirm", "JOURNAL.v1.state",
	"$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST",
	"$JS.API.STREAM.MSG.GET.*", "$JS.API.DIRECT.GET.*", "$JS.API.DIRECT.GET.*.>",
	"$JS.API.CONSUMER.INFO.*.*", "$JS.API.CONSUMER.NAMES.*", "$JS.API.CONSUMER.LIST.*", "$JS.API.CONSUMER.MSG.NEXT.*.*",
}

// admitTools makes the account of tools, unless they may do what local programs may. Before it nobody is let in by TCP.
func (s *Server) admitTools() error {
	if s.door.tool == "" || s.door.admin {
		return nil
	}
	tools, err := s.ns.RegisterAccount(toolsAccount)
	if err != nil {
		return fmt.Errorf("account of tools: %w", err)
	}
	log := s.ns.GlobalAccount()
	for _, subject := range imported {
		err := log.AddServiceExportWithResponse(subject, server.Streamed, []*server.Account{tools})
		if err == nil {
			err = tools.AddServiceImport(log, subject, "")
		}
		if err != nil {
			return fmt.Errorf("account of tools: %s: %w", subject, err)
		}
	}
	s.door.tools.Store(tools)
	if s.usher, err = s.connect(s.ns, usherUser); err != nil {
		return err
	}
	if _, err := s.usher.Subscribe(createSubject, s.createConsumer); err != nil {
		return fmt.Errorf("account of tools: %w", err)
	}
	return s.usher.Flush()
}

// createConsumer makes a consumer for a tool, and answers as the server does.
func (s *Server) createConsumer(m *nats.Msg) {
	body, err := pullRequest(m.Data)
	if err != nil {
		_ = m.Respond(refusedConsumer(err)) // the tool is gone, or asked for no answer
		return
	}
	reply, err := s.nc.Request(m.Subject, body, toolsWait)
	if err != nil {
		_ = m.Respond(refusedConsumer(err))
		return
	}
	_ = m.Respond(reply.Data)
}

// errTools is returned for a consumer that would leave something behind, or deliver where nobody asked.
var errTools = errors.New("tools make pull consumers without durable_name and with ack_policy none; journal serve --admin allows others")

// pullRequest returns a tool's request for a consumer that ends by itself and changes no other. The error is errTools, or
// that of its JSON.
func pullRequest(request []byte) ([]byte, error) {
	var r map[string]any
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, err
	}
	config, ok := r["config"].(map[string]any)
	if !ok {
		return nil, errTools
	}
	for _, name := range []string{"durable_name", "deliver_subject", "deliver_group"} {
		if value, given := config[name]; given && value != "" {
			return nil, errTools
		}
	}
	if config["ack_policy"] != "none" {
		return nil, errTools
	}
	rest, _ := config["inactive_threshold"].(float64) // another type is none
	if rest <= 0 || rest > float64(toolsRest) {
		rest = float64(toolsRest)
	}
	config["inactive_threshold"], config["mem_storage"], r["action"] = int64(rest), true, "create"
	return json.Marshal(r)
}

// refusedConsumer returns the answer to a request for a consumer that is not made.
func refusedConsumer(why error) []byte {
	b, _ := json.Marshal(map[string]any{ // strings and numbers alone
		"type":  "io.nats.jetstream.api.v1.consumer_create_response",
		"error": map[string]any{"code": 400, "err_code": 10012, "description": why.Error()},
	})
	return b
}
