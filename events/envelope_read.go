package events

// readEnvelope reads an envelope as Encode writes it, in one pass that checks and
// decodes; Body and More are bytes of b. Whatever it does not expect is not ok,
// and for Check and the general decoder to judge: they say what is wrong, and read
// what another program spelled in another way.
func readEnvelope(b []byte) (e Envelope, ok bool) {
	pairs, i, ok := members(b, 0)
	if !ok {
		return e, false
	}
	var t textExtents
	for range pairs {
		var name []byte
		if name, i, ok = textAt(b, i); !ok {
			return e, false
		}
		f := fieldOf(name)
		if f == otherField {
			var err error
			if i, err = skip(b, i, maxDepth-1); err != nil {
				return e, false
			}
			continue
		}
		if i, ok = e.readField(f, b, i, &t); !ok {
			return e, false
		}
	}
	if i != len(b) {
		return e, false
	}
	t.into(b, &e.Meta)
	if e.Body == nil {
		e.Body = emptyMap
	}
	return e, e.ID != "" && e.Type != "" && e.Version >= 1 && e.TypeVer >= 1
}

// readField reads the value of one field at b[i].
func (e *Envelope) readField(f field, b []byte, i int, t *textExtents) (next int, ok bool) {
	switch {
	case f < textFields:
		var text []byte
		text, next, ok = textAt(b, i)
		t[f] = extent{next - len(text), next}
		return next, ok
	case f == bodyField:
		if i >= len(b) || familyOf(b[i]) != object {
			return 0, false
		}
		next, err := skip(b, i, maxDepth-1)
		if err == nil {
			e.Body = b[i:next:next]
		}
		return next, err == nil
	case f == moreField:
		e.More, next, ok = contentAt(b, i, bin)
		return next, ok && len(e.More) > 0
	}
	n, next, ok := integerAt(b, i)
	switch f {
	case versionField:
		e.Version = int(n)
	case typeVerField:
		e.TypeVer = int(n)
	case atField:
		e.At = n
	case pidField:
		e.PID = int(n)
	case nField:
		e.N = int(n)
	case rulesField:
		e.Rules = int(n)
	case echoField:
		e.EchoOf = uint64(n)
		ok = ok && n >= 0
	}
	return next, ok
}

// field is a field of the envelope; those that are texts come first.
type field uint8

const (
	idField field = iota
	typeField
	agentField
	sessionField
	laneField
	projectField
	turnField
	causeField
	keyField
	textFields // how many they are

	versionField = textFields + iota
	typeVerField
	atField
	pidField
	nField
	echoField
	rulesField
	bodyField
	moreField
	otherField // what a later program added
)

func fieldOf(name []byte) field {
	switch string(name) {
	case "v":
		return versionField
	case "id":
		return idField
	case "type":
		return typeField
	case "tv":
		return typeVerField
	case "at":
		return atField
	case "agent":
		return agentField
	case "session":
		return sessionField
	case "lane":
		return laneField
	case "project":
		return projectField
	case "turn":
		return turnField
	case "pid":
		return pidField
	case "cause":
		return causeField
	case "n":
		return nField
	case "key":
		return keyField
	case "echo_of":
		return echoField
	case "rules":
		return rulesField
	case "body":
		return bodyField
	case "more":
		return moreField
	}
	return otherField
}

// textExtents says where in the bytes the text fields stand.
type textExtents [textFields]extent

type extent struct{ from, to int }

// oneCopy is up to how many bytes all texts of an envelope are copied at once,
// with what stands between them: one piece of memory instead of nine. Encode writes
// the texts next to each other.
const oneCopy = 512

// into gives the fields their texts.
func (t *textExtents) into(b []byte, m *Meta) {
	first, last := len(b), 0
	for _, x := range t {
		if x.to > x.from {
			first, last = min(first, x.from), max(last, x.to)
		}
	}
	get := func(f field) string { return string(b[t[f].from:t[f].to]) }
	if last-first <= oneCopy && first < last {
		all := string(b[first:last])
		get = func(f field) string {
			x := t[f]
			if x.to == x.from {
				return ""
			}
			return all[x.from-first : x.to-first]
		}
	}
	m.ID, m.Type, m.Agent = get(idField), Type(get(typeField)), get(agentField)
	m.Session, m.Lane, m.Project = get(sessionField), get(laneField), get(projectField)
	m.Turn, m.Cause, m.Key = get(turnField), get(causeField), get(keyField)
}
