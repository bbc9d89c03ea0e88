package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Clients over TCP, the tools, have an account of their own, toolsAccount. It has only the imported subjects of the log's account. The
// server checks no permission on the subject of an answer, nor on the delivery subject of a consumer. Both stay in toolsAccount, where
// nobody handles such a message as a request.
const (
	toolsAccount  = "TOOLS"
	toolsConnUser = "usher" // the owner's own connection to toolsAccount

	createSubject = "$JS.API.CONSUMER.CREATE.>" // requests to create a consumer
	toolsWait     = 5 * time.Second             // longest wait for the creation of a tool's consumer
	toolsIdle     = 5 * time.Minute             // longest time for which an unused consumer is kept
)

// imported holds the subjects of the log's account to which tools may send requests. The subject that creates a consumer is not among them:
// createConsumer sends that request for a tool.
var imported = []string{
	"JOURNAL.v1.append", "JOURNAL.v1.status", "JOURNAL.v1.drain", "JOURNAL.v1.confirm", "JOURNAL.v1.state",
	"$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST",
	"$JS.API.STREAM.MSG.GET.*", "$JS.API.DIRECT.GET.*", "$JS.API.DIRECT.GET.*.>",
	"$JS.API.CONSUMER.INFO.*.*", "$JS.API.CONSUMER.NAMES.*", "$JS.API.CONSUMER.LIST.*", "$JS.API.CONSUMER.MSG.NEXT.*.*",
}

// admitTools creates toolsAccount, unless tools have the rights of localUser. Before toolsAccount exists, the server refuses tools.
func (s *Server) admitTools() error {
	if s.auth.toolPassword == "" || s.auth.admin {
		return nil
	}
	tools, err := s.ns.RegisterAccount(toolsAccount)
	if err != nil {
		return fmt.Errorf("account of tools: %w", err)
	}
	log := s.ns.GlobalAccount()
	for _, subject := range imported {
		if err := log.AddServiceExportWithResponse(subject, server.Streamed, []*server.Account{tools}); err != nil {
			return fmt.Errorf("account of tools: %s: %w", subject, err)
		}
		if err := tools.AddServiceImport(log, subject, ""); err != nil {
			return fmt.Errorf("account of tools: %s: %w", subject, err)
		}
	}
	s.auth.tools.Store(tools)
	if s.toolsConn, err = s.connect(s.ns, toolsConnUser); err != nil {
		return err
	}
	if _, err := s.toolsConn.Subscribe(createSubject, s.createConsumer); err != nil {
		return fmt.Errorf("account of tools: %w", err)
	}
	return s.toolsConn.Flush()
}

// createConsumer creates a consumer for a tool, and answers the tool as the server would.
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

// errTools is returned for a consumer that would outlive its tool, or would deliver messages without a request.
var errTools = errors.New("tools make pull consumers without durable_name and with ack_policy none; journal serve --admin allows others")

// pullRequest returns a tool's request for a consumer, changed so that the server removes the consumer when nobody uses it, and so that the
// request cannot change an existing consumer. The error is errTools, or that of the JSON.
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
	idle, _ := config["inactive_threshold"].(float64) // 0 for another type
	if idle <= 0 || idle > float64(toolsIdle) {
		idle = float64(toolsIdle)
	}
	config["inactive_threshold"], config["mem_storage"], r["action"] = int64(idle), true, "create"
	return json.Marshal(r)
}

// createFailed is the server's code for a consumer that it could not create.
const createFailed = 10012

// refusedConsumer returns the answer to a refused request for a consumer.
func refusedConsumer(reason error) []byte {
	b, _ := json.Marshal(map[string]any{ // never fails: it has only strings and numbers
		"type":  "io.nats.jetstream.api.v1.consumer_create_response",
		"error": map[string]any{"code": 400, "err_code": createFailed, "description": reason.Error()},
	})
	return b
}
