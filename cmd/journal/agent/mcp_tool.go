package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"journal/cmd/journal/cli"
	"journal/events/text"
)

// tool is a verb that agents call over MCP. A call becomes a command line. The arguments of the tool are the arguments of the verb
// and some of its flags.
type tool struct {
	Name        string
	Description string // for the agent: the purpose, and when to use it
	Verb        string // the verb of this program; empty if its name is Name
	// Actions are subcommands of the verb, of which each call names one. nil if the verb has no subcommands.
	Actions []string
	// Args are the arguments of the verb that are no flags, in the order of the command line.
	Args []arg
	// Flags are the flags of the verb or its actions that an agent may set. None of them writes a file or reads
	// other projects.
	Flags []string
	// JSON is the flag with which the verb prints JSON; empty means "json".
	JSON string
	// Reads is set if the verb changes nothing. A call then runs the verb twice, and returns its text besides its JSON. A call of
	// any other tool runs the verb once, and returns the JSON also as the text.
	Reads bool
	// Limit bounds the text, in bytes, and longer JSON is left out. 0 means that the verb bounds both.
	Limit int
}

// arg is an argument that is no flag.
type arg struct {
	Name, About string
	Items       *jsonschema.Schema // of a list; nil if the argument is a text
}

// verb returns the name of the verb.
func (t tool) verb() string { return cmp.Or(t.Verb, t.Name) }

// commands returns the command of the verb, or of each action.
func (t tool) commands(root *cobra.Command) (all []*cobra.Command) {
	actions := t.Actions
	if actions == nil {
		actions = []string{""}
	}
	for _, action := range actions {
		c, rest, err := root.Find(strings.Fields(t.verb() + " " + action))
		if err != nil || len(rest) > 0 {
			panic("mcp: no verb " + t.verb() + " " + action)
		}
		all = append(all, c)
	}
	return all
}

// schema returns the tool as the server announces it.
func (t tool) schema(root *cobra.Command) *mcp.Tool {
	noOthers := &jsonschema.Schema{Not: &jsonschema.Schema{}} // no value matches it
	in := jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: noOthers}
	about := t.Description
	if t.Actions != nil {
		action := &jsonschema.Schema{Type: "string"}
		in.Properties["action"], in.Required = action, []string{"action"}
		for i, c := range t.commands(root) {
			action.Enum = append(action.Enum, t.Actions[i])
			about += fmt.Sprintf("\n%s: %s", t.Actions[i], c.Short)
		}
	}
	for _, argument := range t.Args {
		s := &jsonschema.Schema{Type: "string", Description: argument.About}
		if argument.Items != nil {
			s.Items, s.Type = argument.Items, "array"
		}
		in.Properties[argument.Name] = s
	}
	for _, c := range t.commands(root) {
		for _, name := range t.Flags {
			if f := c.Flags().Lookup(name); f != nil {
				s := schemaOf(f.Value)
				s.Description = f.Usage
				in.Properties[name] = s
			}
		}
	}
	return &mcp.Tool{
		Name: t.Name, Description: about, InputSchema: &in,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.Reads, DestructiveHint: new(false), OpenWorldHint: new(false)},
	}
}

// schemaOf describes the JSON values that a flag takes.
func schemaOf(v pflag.Value) *jsonschema.Schema {
	if least, most, ok := cli.IntegerBounds(v); ok {
		return &jsonschema.Schema{Type: "integer", Minimum: new(float64(least)), Maximum: new(float64(most))}
	}
	switch v.Type() {
	case "bool":
		return &jsonschema.Schema{Type: "boolean"}
	case "stringArray":
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}
	}
	return &jsonschema.Schema{Type: "string"}
}

// line returns the command line of a call. arguments is a JSON object, or empty.
func (t tool) line(arguments json.RawMessage) (line []string, err error) {
	members := map[string]any{}
	if len(arguments) > 0 {
		dec := json.NewDecoder(bytes.NewReader(arguments))
		dec.UseNumber()
		if err := dec.Decode(&members); err != nil {
			return nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
		}
	}
	line = []string{t.verb()}
	if t.Actions != nil {
		action, _ := members["action"].(string)
		if !slices.Contains(t.Actions, action) {
			return nil, fmt.Errorf("action must be one of %s", strings.Join(t.Actions, ", "))
		}
		line = append(line, action)
		delete(members, "action")
	}
	for _, name := range t.Flags {
		values, err := argValues(members[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, v := range values {
			line = append(line, "--"+name+"="+v)
		}
		delete(members, name)
	}
	words := []string{"--"} // ends the flags
	for _, argument := range t.Args {
		values, err := argValues(members[argument.Name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", argument.Name, err)
		}
		words = append(words, values...)
		delete(members, argument.Name)
	}
	if len(members) > 0 {
		return nil, fmt.Errorf("there is no argument %s", strings.Join(slices.Sorted(maps.Keys(members)), ", "))
	}
	return append(line, words...), nil
}

// argValues returns an argument's value as words of a command line: one for each item of a list, none for null or a missing
// value.
func argValues(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return []string{v}, nil
	case json.Number:
		return []string{v.String()}, nil
	case bool:
		return []string{fmt.Sprint(v)}, nil
	case []any:
		var all []string
		for _, item := range v {
			words, err := argValues(item)
			if err != nil {
				return nil, err
			}
			all = append(all, words...)
		}
		return all, nil
	}
	return nil, fmt.Errorf("the value cannot be an object")
}

// withNewSession adds --new to a command line that names its session, if the verb records and so has that flag. Without --new such
// a verb refuses a session that the log does not know, and the log does not know the sessions of clients without hooks.
func withNewSession(root *cobra.Command, line []string) []string {
	c, _, err := root.Find(line)
	named := slices.ContainsFunc(line, func(word string) bool { return strings.HasPrefix(word, "--session=") })
	if err != nil || !named || c.Flags().Lookup("new") == nil {
		return line
	}
	return withFlag(line, "new")
}

// withFlag adds a flag to a command line, before the "--" that ends its flags.
func withFlag(line []string, name string) []string {
	return slices.Insert(slices.Clone(line), slices.Index(line, "--"), "--"+name)
}

// handler returns the function that runs the tool on the journal of a.
func (t tool) handler(a *cli.App) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		line, err := t.line(r.Params.Arguments)
		if err != nil {
			message := &mcp.TextContent{Text: "error: " + err.Error()}
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{message}}, nil
		}
		line = withNewSession(a.Commands(), line)
		result := &mcp.CallToolResult{}
		shown := call(ctx, a, withFlag(line, cmp.Or(t.JSON, "json"))...)
		asJSON := shown.out
		if !slices.ContainsFunc(t.commands(a.Commands()), cli.IsLiteral) { // a literal verb prints what was recorded word for word
			asJSON = text.InertJSON(asJSON)
		}
		if doc := document(asJSON); doc != nil && (t.Limit == 0 || len(asJSON) <= t.Limit) {
			result.StructuredContent = doc // some clients show it in place of the text
		}
		if t.Reads && !shown.failed() {
			shown = call(ctx, a, line...)
		}
		result.IsError = shown.failed()
		for _, s := range []string{t.truncate(shown.out), shown.err} {
			if s = strings.TrimRight(s, "\n"); s != "" {
				result.Content = append(result.Content, &mcp.TextContent{Text: s})
			}
		}
		if result.Content == nil {
			result.Content = []mcp.Content{&mcp.TextContent{Text: "nothing to show"}}
		}
		return result, nil
	}
}

// truncate cuts a text that is longer than the limit at the end of a line, and adds the number of lines that it left out. It cuts within
// a line that is most of the text.
func (t tool) truncate(s string) string {
	if t.Limit == 0 || len(s) <= t.Limit {
		return s
	}
	end := strings.LastIndexByte(s[:t.Limit], '\n') + 1
	kept, rest := s[:end], s[end:]
	if end < t.Limit/2 {
		end = text.Before(s, t.Limit)
		_, rest, _ = strings.Cut(s[end:], "\n")
		kept = s[:end] + "…\n"
	}
	if n := len(slices.Collect(strings.Lines(rest))); n > 0 {
		kept += "… " + text.Counted(n, "more line") + "\n"
	}
	return kept
}

// document returns a verb's JSON output as one object. Several documents, or the items of a list, become the member "items" of an
// object. It returns nil if the output is empty or not JSON.
func document(out string) any {
	dec := json.NewDecoder(strings.NewReader(out))
	var all []json.RawMessage
	for dec.More() {
		var doc json.RawMessage
		if dec.Decode(&doc) != nil {
			return nil
		}
		all = append(all, doc)
	}
	switch {
	case len(all) == 0:
		return nil
	case len(all) == 1 && all[0][0] == '{':
		return all[0]
	case len(all) == 1 && all[0][0] == '[':
		return map[string]json.RawMessage{"items": all[0]}
	}
	return map[string][]json.RawMessage{"items": all}
}
