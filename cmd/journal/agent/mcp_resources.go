package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"journal/cmd/journal/cli"
	"journal/events/text"
)

// The URIs of the resources.
const (
	sessionsURI = "journal://sessions"
	recoveryURI = "journal://recovery"
	// ofSession and itsRecovery stand around a session's id.
	ofSession, itsRecovery = "journal://sessions/", "/recovery"
)

const jsonType = "application/json"

// addResources adds what a person can hand to an agent: the project's sessions, and
// what an agent gets back after a compaction, of the newest session or of one.
func addResources(a *cli.App, s *mcp.Server) {
	s.AddResource(&mcp.Resource{
		URI: sessionsURI, Name: "sessions", Title: "Sessions of this project", MIMEType: jsonType,
		Description: "what sessions there were, and when each was last at work",
	}, resource(a, jsonType, func(string) []string { return []string{"sessions", "--json"} }))
	s.AddResource(&mcp.Resource{
		URI: recoveryURI, Name: "recovery", Title: "What is known of the newest session", MIMEType: "text/markdown",
		Description: "open tasks, decisions, files, failures and requests, as after a compaction",
	}, resource(a, "text/markdown", func(string) []string { return []string{"recover"} }))
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: ofSession + "{session}" + itsRecovery, Name: "recovery-of-session", Title: "What is known of a session",
		MIMEType: "text/markdown", Description: "the same of one session, by its id or the beginning of it",
	}, resource(a, "text/markdown", func(uri string) []string {
		return []string{"recover", "--session=" + strings.TrimSuffix(strings.TrimPrefix(uri, ofSession), itsRecovery)}
	}))
}

// resource reads a resource by running a command line.
func resource(a *cli.App, mime string, line func(uri string) []string) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		got := call(ctx, a, line(r.Params.URI)...)
		if got.code != cli.ExitOK {
			return nil, errors.New(strings.TrimSpace(got.err))
		}
		out := got.out
		if mime == jsonType {
			out = text.InertJSON(out)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: mime, Text: out}}}, nil
	}
}

// addPrompts adds what people ask for most, as commands of their client.
func addPrompts(a *cli.App, s *mcp.Server) {
	question := []*mcp.PromptArgument{{Name: "question", Description: "what to look for", Required: true}}
	session := []*mcp.PromptArgument{{Name: "session", Description: "id of the session, or the beginning of it; the newest of the project"}}
	s.AddPrompt(&mcp.Prompt{Name: "recall", Description: "look in the journal for what was decided, tried or said", Arguments: question},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return asked("Look in the journal, with its tools recall and show, for: " + r.Params.Arguments["question"] +
				"\nAnswer with the numbers of the events that show it."), nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "continue", Description: "go on where a session of this project stopped", Arguments: session},
		func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			line := []string{"recover"}
			if id := r.Params.Arguments["session"]; id != "" {
				line = append(line, "--session="+id)
			}
			got := call(ctx, a, line...)
			if got.code != cli.ExitOK {
				return nil, errors.New(strings.TrimSpace(got.err))
			}
			return asked("Go on where this session stopped. Say first in two sentences where that is.\n\n" + got.out), nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "lost", Description: "what the last compaction lost, and bring back what is needed", Arguments: session},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			of := ""
			if id := r.Params.Arguments["session"]; id != "" {
				of = " of session " + id
			}
			return asked("Look with the journal's tool audit at what the compactions" + of +
				" lost, show what of it the present task needs, and go on with that."), nil
		})
}

// asked is a prompt of one message of the person.
func asked(said string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: said}}}}
}
