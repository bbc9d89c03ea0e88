package page

import (
	_ "embed"
	"io"
)

// Survey is a page about many sessions.
type Survey struct {
	About    string // how many sessions of what
	Headline string // the totals, in a sentence; empty: none
	Tables   []Table
}

// Table compares shares with each other: its bars have one scale.
type Table struct {
	Title   string
	Of      string   // what a row is, over its name
	Columns []string // over its cells
	Rows    []Row
}

// Row is one share.
type Row struct {
	Name, Link string // the link is empty for none
	Cells      []string
	Share      Share
	Bar        []Segment
}

// drawn gives the table with its bars.
func (t Table) drawn() Table {
	most := 1
	for _, r := range t.Rows {
		most = max(most, r.Share.Known)
	}
	for i := range t.Rows {
		t.Rows[i].Bar = t.Rows[i].Share.Segments(most)
	}
	return t
}

//go:embed survey.html
var surveySource string

// WriteSurvey writes the page of many sessions.
func WriteSurvey(w io.Writer, s Survey) error {
	for i := range s.Tables {
		s.Tables[i] = s.Tables[i].drawn()
	}
	return write(w, surveySource, s)
}
