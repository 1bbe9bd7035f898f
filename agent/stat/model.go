package stat

import (
	"encoding/json"
	"sync"
)

// Embedded returns the function that decodes an embedded model when it is first called. room names
// the package of the model, whose file is part of the program.
func Embedded[M any](room string, file []byte) func() *M {
	return sync.OnceValue(func() *M {
		m := new(M)
		if err := json.Unmarshal(file, m); err != nil {
			panic(room + ": model.json: " + err.Error())
		}
		return m
	})
}
