package render

import (
	"encoding/json"
	"io"

	"git-agent/gitext/quote"
)

// WriteJSON writes v as one line of JSON that ends with end, in one piece.
// Characters that control a terminal are escaped.
func WriteJSON(w io.Writer, v any, end string) error {
	line, err := quote.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, end...))
	return err
}

// ArgsJSON returns a model's arguments for a tool. Arguments that are not valid
// JSON become a JSON string.
func ArgsJSON(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	text, _ := json.Marshal(args) // encoding a string cannot fail
	return text
}
