package payload

// Kind is the JSON type of a value.
type Kind uint8

// The kinds. Absent is the kind of the zero Value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"absent", "null", "bool", "number", "string", "array", "object"}

// String returns the name of the kind in lower case, "unknown" for no kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}
