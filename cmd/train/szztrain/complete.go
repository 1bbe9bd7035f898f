package szztrain

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// writeRows completes each row by complete, with several workers, and writes it as a line of JSON.
// A row whose completion fails is reported and left out. The end of ctx leaves out the rest.
func writeRows[T any](ctx context.Context, workers int, rows []T, out *json.Encoder, complete func(row *T) error) {
	var mu sync.Mutex
	var group sync.WaitGroup
	todo := make(chan T)
	for range workers {
		group.Go(func() {
			for row := range todo {
				if err := complete(&row); err != nil {
					fmt.Fprintln(os.Stderr, err)
					continue
				}
				mu.Lock()
				out.Encode(row)
				mu.Unlock()
			}
		})
	}
	for _, row := range rows {
		if ctx.Err() == nil {
			todo <- row
		}
	}
	close(todo)
	group.Wait()
}
