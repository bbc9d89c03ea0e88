package page_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/journal/page"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/timeline"
)

var update = flag.Bool("update", false, "write the golden pages")

// at is the time of an event: a minute lies between two.
func at(seq uint64) int64 { return (1_800_000_000 + int64(seq)*60) * 1e9 }

func point(seq uint64, percent int) timeline.Point {
	return timeline.Point{Seq: seq, Place: int(seq) - 1, Percent: percent, Tokens: int64(percent) * 2000, Window: 200_000}
}

func mark(kind string, seq uint64, text string) timeline.Mark {
	return timeline.Mark{Kind: kind, Seq: seq, Place: int(seq) - 1, At: at(seq), Text: text}
}

func session() page.Doc {
	return page.Doc{
		Session: "10cf952f", Project: "limiter-5e1c0a9b", Agent: "claude", Info: 60, Urgent: 75,
		Title: "토큰 버킷으로 <i>바꿔</i> 주세요.", Began: at(1),
		Headline: "9 things worth keeping: 4 told, 1 restored, 4 lost",
		Lacking: []audit.Item{
			{ID: "todo-9.2", Kind: "todo", Seq: 9, Text: "設定のゼロ値を文書に書く", Status: audit.Lost},
			{ID: "decision-18", Kind: "decision", Seq: 18, Text: "go test ./limiter\n--- FAIL: TestBurst </div><b>", Status: audit.Lost},
			{ID: "prompt-30", Kind: "prompt", Seq: 30, Text: "Now the zero value", Status: audit.Unclear},
		},
		Timeline: timeline.Timeline{
			First: 1, Last: 120, Events: 120,
			Subagents: []timeline.Subagent{
				{Lane: "a5<b>", Type: "explorer <b>", First: 71, Last: 85, From: 70, To: 84, Ended: true},
				{Lane: "b6", Type: "tester", First: 80, Last: 120, From: 79, To: 119},
			},
			Points: []timeline.Point{point(4, 12), point(20, 48), point(33, 66), point(47, 91), point(50, 0), point(60, 22), point(90, 63)},
			Marks: []timeline.Mark{
				mark(timeline.Prompt, 2, "토큰 버킷으로 바꿔 주세요. 테스트는 시계를 필드로 받습니다."),
				mark(timeline.Phase, 5, "plan 1 requirements"),
				mark(timeline.Prompt, 30, "Now the zero value"),
				mark(timeline.Notice, 34, "info"),
				mark(timeline.Phase, 36, "plan 2 design"),
				mark(timeline.Failure, 48, "go test ./limiter </svg>"),
				mark(timeline.Failure, 49, "go \x1b[31mtest\x1b[0m"),
				mark(timeline.Compaction, 50, "auto"),
				mark(timeline.Compound, 70, ""),
				mark(timeline.Prompt, 95, "<script>alert(1)</script> & \"quotes\""),
				mark(timeline.Compaction, 110, "manual"),
			},
		},
		Compactions: []audit.Compaction{
			{
				Ordinal: 1, Seq: 50, At: projections.Stamp(at(50)), Trigger: "auto", HasSummary: true,
				Totals: audit.Totals{Known: 8, InSummary: 4, Lost: 3, Restored: 1}, Others: 12,
				Items: []audit.Item{
					{ID: "todo-9.2", Kind: "todo", Seq: 9, Worth: 1, Text: "設定のゼロ値を文書に書く", Status: audit.Lost, Evidence: unfound},
					{ID: "decision-18", Kind: "decision", Seq: 18, Worth: 2, Text: "go test ./limiter", Detail: "--- FAIL: TestBurst </div><b>", Status: audit.Lost, Evidence: unfound},
					{ID: "prompt-2", Kind: "prompt", Seq: 2, Worth: 3, Text: "토큰 버킷으로 바꿔 주세요.", Status: audit.InSummary, Evidence: audit.Evidence{Why: "“토큰 </details>버킷”", Seq: 51}},
					{ID: "prompt-3", Kind: "prompt", Seq: 3, Worth: 4, Text: "And a bucket", Status: audit.InSummary, Evidence: audit.Evidence{Why: "“bucket”", Seq: 51}},
				},
			},
			{Ordinal: 1, Lane: "a5<b>", Seq: 80, At: projections.Stamp(at(80)), Trigger: "auto", HasSummary: true, Totals: audit.Totals{Known: 1, Lost: 1}},
			{Ordinal: 2, Seq: 110, At: projections.Stamp(at(110)), Trigger: "manual"},
		},
	}
}

// unfound is the evidence for lost items.
var unfound = audit.Evidence{Why: "no word of it in the summary </p>", Seq: 51}

func TestWrite(t *testing.T) {
	t.Parallel()
	never := page.Doc{Session: "10cf952f", Project: "limiter-5e1c0a9b", Agent: "claude", Info: 60, Urgent: 75}
	unknown := session()
	unknown.Compactions = unknown.Compactions[:1]
	for i := range unknown.Timeline.Points {
		unknown.Timeline.Points[i].Window, unknown.Timeline.Points[i].Percent = 0, 0
	}
	pages := map[string]func(io.Writer) error{}
	for name, doc := range map[string]page.Doc{"session": session(), "nothing": never, "tokens": unknown} {
		pages[name] = func(w io.Writer) error { return page.Write(w, doc) }
	}
	for name, write := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			for _, foreign := range []string{"<script", "http:", "https:", "src=", "@import", "url(", "<i>바꿔", "<b>\"", "a5<b>"} {
				if strings.Contains(b.String(), foreign) {
					t.Errorf("the page holds %q", foreign)
				}
			}
			wellFormed(t, b.String())
			golden := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(golden, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("the page is not %s any more; look at it in a browser, then run with -update", golden)
			}
		})
	}
}

// TestChartOfAClientThatCompactsEarly: the levels stand where the notices are given, below the percentage at which this
// client compacts, and labels do not touch.
func TestChartOfAClientThatCompactsEarly(t *testing.T) {
	t.Parallel()
	line := session().Timeline
	for _, tc := range []struct {
		compactsAt int
		want       string
	}{
		{0, "info 60 %, urgent 75 %"},
		{80, "info 48 %, urgent 60 %, compacts 80 %"},
		{66, "info , urgent 49 %, compacts 66 %"},
		{40, "info , urgent , compacts 40 %"},
	} {
		line.CompactsAt = tc.compactsAt
		var got []string
		for _, l := range page.ChartOf(page.Drawing{Timeline: line, Info: 60, Urgent: 75, Zone: time.UTC, Say: page.Texts("en")}).Grid {
			if l.Class != "grid" {
				got = append(got, l.Class+" "+l.Label)
			}
		}
		if s := strings.Join(got, ", "); s != tc.want {
			t.Errorf("compacts at %d: %s; want %s", tc.compactsAt, s, tc.want)
		}
	}
}

// wellFormed fails when an element is not closed: the page is written so that an
// XML reader takes it, but for its void elements and its style.
func wellFormed(t *testing.T, html string) {
	t.Helper()
	start, end := strings.Index(html, "<style>"), strings.Index(html, "</style>")
	dec := xml.NewDecoder(strings.NewReader(html[:start] + html[end+len("</style>"):]))
	dec.Entity, dec.AutoClose, dec.Strict = xml.HTMLEntity, xml.HTMLAutoClose, false
	depth := 0
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are not closed", depth)
	}
}
