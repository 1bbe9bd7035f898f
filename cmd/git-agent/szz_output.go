package main

import (
	"context"
	"io"
)

// szzOutput picks a renderer when the first answer comes, so that no pager
// starts before there is something to show.
type szzOutput struct {
	a     *app
	cmd   *szzCmd
	total int
	page  *pagedOutput
	form  szzRenderer
}

func (o *szzOutput) answer(ctx context.Context, ans szzAnswer) error {
	if o.form == nil {
		o.form = o.choose(ctx)
	}
	return o.form.answer(ans)
}

func (o *szzOutput) choose(ctx context.Context) szzRenderer {
	end := "\n"
	if o.cmd.Null {
		end = "\x00"
	}
	switch {
	case o.cmd.JSON:
		return &szzJSON{w: o.a.stdout, end: end}
	case o.cmd.Trailer:
		return &szzTrailer{w: o.a.stdout, end: end}
	case o.cmd.Format != "":
		pieces, _ := parseFormat(o.cmd.Format) // check has looked at it
		return &szzFormat{w: o.a.stdout, pieces: pieces, end: end, clean: isTerminal(o.a.stdout)}
	}
	w := io.Writer(o.a.stdout)
	if o.total != 1 {
		// Answers come one by one, and each is shown when it comes: the
		// terminal is the pager.
		return newSzzHuman(o.a, w, o.a.newPalette(ctx))
	}
	o.page = o.a.page(ctx)
	return newSzzHuman(o.a, o.page, o.a.newPalette(ctx))
}

func (o *szzOutput) close() error {
	if o.page == nil {
		return nil
	}
	return o.page.Close()
}
