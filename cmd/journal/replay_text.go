package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/events/text"
)

// shownItems is how many items of a list a person is shown; --json has all.
const shownItems = 12

// printReplay shows states to a person.
func (a *app) printReplay(d replayDoc) error {
	at := "nothing yet"
	if t, err := time.Parse(time.RFC3339Nano, d.At); err == nil {
		at = t.Local().Format(time.DateTime)
	}
	fmt.Fprintf(a.out, "session %s of %s, after #%d (%s), %d events\n", d.Session, d.Project, d.Seq, at, d.Events)
	var names []string
	for n := range d.States {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(a.out, "\n%s\n", n)
		if err := a.printStateOf(d.States[n]); err != nil {
			return err
		}
	}
	return nil
}

// printStateOf shows the state of one projection.
func (a *app) printStateOf(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.printState(b)
}

// printState shows one state: an object as a line per field, a list as a line
// per item. Keys keep the order of the state.
func (a *app) printState(b []byte) error {
	if b[0] == '[' {
		var items []json.RawMessage
		if err := json.Unmarshal(b, &items); err != nil {
			return err
		}
		if len(items) == 0 {
			fmt.Fprintln(a.out, "  none")
		}
		if left := len(items) - shownItems; left > 0 {
			fmt.Fprintf(a.out, "  … %d more, --json shows them\n", left)
			// Lists are in log order except for files, which are newest first.
			items = items[left:]
		}
		for _, item := range items {
			line, err := fieldsLine(item)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "  - %s\n", line)
		}
		return nil
	}
	fields, err := orderedFields(b)
	if err != nil {
		return err
	}
	for _, f := range fields {
		if f.value[0] == '[' {
			fmt.Fprintf(a.out, "  %s\n", f.name)
			var items []json.RawMessage
			if err := json.Unmarshal(f.value, &items); err != nil {
				return err
			}
			for _, item := range items {
				line, err := fieldsLine(item)
				if err != nil {
					return err
				}
				fmt.Fprintf(a.out, "    - %s\n", line)
			}
			continue
		}
		fmt.Fprintf(a.out, "  %-16s %s\n", f.name, scalar(f.value))
	}
	return nil
}

type field struct {
	name  string
	value json.RawMessage
}

func orderedFields(b []byte) ([]field, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var fields []field
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		fields = append(fields, field{name.(string), v})
	}
	return fields, nil
}

func fieldsLine(b json.RawMessage) (string, error) {
	if b[0] != '{' {
		return scalar(b), nil
	}
	fields, err := orderedFields(b)
	if err != nil {
		return "", err
	}
	var parts []string
	for i, f := range fields {
		v := scalar(f.value)
		if i > 0 {
			v = f.name + "=" + v
		}
		parts = append(parts, v)
	}
	return strings.Join(parts, "  "), nil
}

func scalar(b json.RawMessage) string {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return oneLine(string(b)) // JSON leaves some control characters as they are
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t.Local().Format(time.DateTime)
	}
	return text.CutUnits(oneLine(s), 160)
}
