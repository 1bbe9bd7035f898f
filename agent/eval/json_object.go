package eval

import (
	"bytes"
	"cmp"

	"git-agent/gitext/quote"
)

// object builds a JSON object with field names known only at run time. After the first error it
// ignores further fields.
type object struct {
	b   bytes.Buffer
	err error
}

func (o *object) field(name string, v any) {
	text, err := quote.Marshal(name)
	if err == nil {
		text = append(text, ':')
		var value []byte
		value, err = quote.Marshal(v)
		text = append(text, value...)
	}
	o.add(text, err)
}

// fields adds the fields of the struct v.
func (o *object) fields(v any) {
	text, err := quote.Marshal(v)
	if err == nil {
		text = bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("{")), []byte("}"))
	}
	o.add(text, err)
}

func (o *object) add(text []byte, err error) {
	if o.err != nil || err != nil {
		o.err = cmp.Or(o.err, err)
		return
	}
	if o.b.Len() > 0 && len(text) > 0 {
		o.b.WriteByte(',')
	}
	o.b.Write(text)
}

// bytes returns the whole object, or the first error.
func (o *object) bytes() ([]byte, error) {
	return append(append([]byte("{"), o.b.Bytes()...), '}'), o.err
}
