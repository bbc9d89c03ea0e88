package catalogue

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmihailenco/msgpack/v5"

	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/projections"
)

// CommonName is the name of the file in a journal directory that has copies of what is common to the sessions of a project.
const CommonName = "common"

// commonTypes lists what the state of a session needs of every session of its project, and of which a year has thousands:
// reading them one by one from all over the store costs more than the session itself. All of them are small.
var commonTypes = append([]events.Type{
	events.TypeOf[events.DecisionRecorded](), events.TypeOf[events.DecisionRetracted](), events.TypeOf[events.QuestionAnswered](),
	events.TypeOf[events.NoticeGiven](), events.TypeOf[events.ConversationRewound](),
}, projections.SessionBounds...)

// common is the content of the file: every record of commonTypes up to Seq. The file has their bytes behind the rest, so that
// a reader copies none.
type common struct {
	Stream   string
	Seq      uint64
	At       string // nameOf the record at Seq
	Projects []commonProject
}

// commonProject has the records of a project.
type commonProject struct {
	Token string // in subjects
	Sizes [2]int // in bytes, of heads and data
	heads []byte // of each record its sequence, the sizes of subject, id and data, and the texts of the first two
	data  []byte // of all of them
}

// loadCommon returns what is kept of a log, if it is of this log.
func loadCommon(ctx context.Context, dir, stream string, log journal.Records) (c common, ok bool) {
	_, b, err := blocks.OpenPaged(filepath.Join(dir, CommonName), commonKind())
	r := bytes.NewReader(b)
	if err != nil || msgpack.NewDecoder(r).Decode(&c) != nil || c.Stream != stream || c.Seq == 0 {
		return common{}, false
	}
	if at, err := nameAt(ctx, log, c.Seq); err != nil || at != c.At {
		return common{}, false
	}
	b = b[len(b)-r.Len():]
	for i := range c.Projects {
		p := &c.Projects[i]
		p.heads, b = b[:p.Sizes[0]:p.Sizes[0]], b[p.Sizes[0]:]
		p.data, b = b[:p.Sizes[1]:p.Sizes[1]], b[p.Sizes[1]:]
	}
	return c, true
}

// encode returns the content of the file.
func (c *common) encode() ([]byte, error) {
	for i := range c.Projects {
		p := &c.Projects[i]
		p.Sizes = [2]int{len(p.heads), len(p.data)}
	}
	b, err := packed(nil, c)
	for _, p := range c.Projects {
		b = append(append(b, p.heads...), p.data...)
	}
	return b, err
}

// project returns the records of a project; nil if there are none.
func (c *common) project(token string) *commonProject {
	for i := range c.Projects {
		if c.Projects[i].Token == token {
			return &c.Projects[i]
		}
	}
	return nil
}

// nameAt returns nameOf the record at a sequence, empty if it is not there.
func nameAt(ctx context.Context, log journal.Records, seq uint64) (name string, err error) {
	err = log.Read(ctx, seq-1, seq, nil, func(r record.Record) bool {
		name = nameOf(r)
		return false
	})
	return name, err
}

// commonKind describes the file: a program that keeps other types makes it anew.
func commonKind() string { return fmt.Sprintf("journal common 2 %v%s", commonTypes, formOf(common{})) }

// add adds a record behind the others of its project.
func (c *common) add(r record.Record) error {
	r, err := r.Unpack()
	token, ok := record.ProjectToken(r.Subject)
	if err != nil || !ok {
		return err
	}
	p := c.project(token)
	if p == nil {
		c.Projects = append(c.Projects, commonProject{Token: token})
		p = c.project(token)
	}
	for _, n := range [...]uint64{r.Seq, uint64(len(r.Subject)), uint64(len(r.ID)), uint64(len(r.Data))} {
		p.heads = binary.AppendUvarint(p.heads, n)
	}
	p.heads = append(append(p.heads, r.Subject...), r.ID...)
	p.data = append(p.data, r.Data...)
	return nil
}

// records returns the records of a project whose subjects have one of some ends, up to a sequence, in order.
func (c *common) records(token string, ends []string, until uint64) (all []record.Record) {
	p := c.project(token)
	if p == nil {
		return nil
	}
	heads, data, at := string(p.heads), p.data, 0 // one copy for all texts
	number := func() int {
		n, size := binary.Uvarint(p.heads[at:])
		at += size
		return int(n)
	}
	for at < len(heads) {
		r := record.Record{Seq: uint64(number())}
		subject, id, size := number(), number(), number()
		r.Subject, r.ID, r.Data = heads[at:at+subject], heads[at+subject:at+subject+id], data[:size]
		at, data = at+subject+id, data[size:]
		if r.Seq <= until && slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(r.Subject, end) }) {
			all = append(all, r)
		}
	}
	return all
}

// commonOf splits filters: those for one type of commonTypes in all sessions of one project, by the ends of their subjects,
// and the others.
func commonOf(filters []string) (project string, ends, others []string) {
	for _, f := range filters {
		token, end, found := strings.Cut(strings.TrimPrefix(f, "journal."), ".*.")
		common := found && !strings.ContainsAny(token, ".*") && slices.Contains(commonTypes, events.Type(end))
		if common && (project == "" || project == token) {
			project, ends = token, append(ends, "."+end)
		} else {
			others = append(others, f)
		}
	}
	return project, ends, others
}

// withCommon reads records, those of commonTypes from the file.
type withCommon struct {
	journal.Records
	dir, stream string
}

// WithCommon returns Records of a log that take what is common to sessions from the file in a directory, if it is valid.
func WithCommon(dir, stream string, log journal.Records) journal.Records {
	return withCommon{log, dir, stream}
}

// Read satisfies journal.Records.
func (w withCommon) Read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error {
	project, ends, others := commonOf(filters)
	if after > 0 || len(ends) == 0 { // a fold that moves forward needs a few new ones
		return w.Records.Read(ctx, after, until, filters, each)
	}
	c, ok := loadCommon(ctx, w.dir, w.stream, w.Records)
	if !ok {
		return w.Records.Read(ctx, after, until, filters, each)
	}
	stopped, last := false, uint64(0)
	visit := func(r record.Record) bool {
		stopped, last = !each(r), r.Seq
		return !stopped
	}
	copies := c.records(project, ends, until)
	upTo := func(seq uint64) {
		for ; len(copies) > 0 && copies[0].Seq <= seq && !stopped; copies = copies[1:] {
			if copies[0].Seq > last { // others may select it too
				visit(copies[0])
			}
		}
	}
	if len(others) > 0 {
		err := w.Records.Read(ctx, 0, min(until, c.Seq), others, func(r record.Record) bool {
			upTo(r.Seq - 1)
			return !stopped && visit(r)
		})
		if err != nil || stopped {
			return err
		}
	}
	upTo(until)
	if stopped {
		return nil
	}
	return w.Records.Read(ctx, c.Seq, until, filters, each)
}

// KeepCommon writes the file if the log has at least so many records more than it. goOn is called after each
// record, and reports whether to continue; what was read until then is kept.
func (k *Keeper) KeepCommon(ctx context.Context, least uint64, goOn func() bool) error {
	st, err := k.Log.Stats(ctx)
	if err != nil || k.Records == nil || st.Last < k.common+least {
		return err
	}
	c, ok := loadCommon(ctx, k.Dir, k.Log.Stream(), k.Records)
	if k.common = c.Seq; st.Last < k.common+least {
		return nil
	}
	if !ok {
		c = common{Stream: k.Log.Stream()}
	}
	var filters []string
	for _, t := range commonTypes {
		filters = append(filters, "journal.*.*."+string(t))
	}
	var bad error
	upTo := st.Last
	err = k.Records.Read(ctx, c.Seq, st.Last, filters, func(r record.Record) bool {
		bad = c.add(r)
		if !goOn() {
			upTo = r.Seq
		}
		return bad == nil && upTo == st.Last
	})
	if err != nil || bad != nil {
		k.common = st.Last // readers report what cannot be read
		return ctx.Err()
	}
	c.Seq = upTo
	if c.At, err = nameAt(ctx, k.Records, c.Seq); err != nil {
		k.common = st.Last
		return ctx.Err()
	}
	if err := write(filepath.Join(k.Dir, CommonName), commonKind(), c.encode); err != nil {
		return fmt.Errorf("what sessions have in common: %w", err)
	}
	k.common = c.Seq
	return nil
}
