package mcpcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/cache"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Recorded runs of the repository are resources. Their texts are those of git agent trace show.
// A server with --fix or --tip has none, because a run may tell of later history.

const (
	runScheme   = "git-agent://run/"
	runType     = "text/plain"
	mostRuns    = 50      // in a list
	maxRunBytes = 1 << 18 // of one text
)

// Resource is a text that a client can read.
type Resource struct {
	URI, Name, Title string
}

// Resources are texts that come and go while the server runs.
type Resources struct {
	List func(ctx context.Context) ([]Resource, error)
	// Read returns the text of a resource; found is false if there is none.
	Read func(ctx context.Context, uri string) (text string, found bool, err error)
}

// recordedRuns returns the recorded runs of the repository as resources, or nil if they are not
// offered.
func (s *Server) recordedRuns() *Resources {
	if s.Runs == nil || s.Fix != "" || s.Tip != "" {
		return nil
	}
	return &Resources{List: s.listRuns, Read: s.readRun}
}

// eachRun calls use with the newest conversations of the repository, until it returns false.
func (s *Server) eachRun(ctx context.Context, use func(*store.Stores, store.Run) (bool, error)) error {
	stores, err := s.Runs(ctx)
	if err != nil {
		return err
	}
	runs, err := stores.List(ctx, cache.ListOptions{})
	for _, r := range runs {
		if r.IsEvaluation() || err != nil {
			continue
		}
		var more bool
		if more, err = use(stores, r); !more {
			break
		}
	}
	return errors.Join(err, stores.Close())
}

func (s *Server) listRuns(ctx context.Context) ([]Resource, error) {
	list := []Resource{}
	err := s.eachRun(ctx, func(_ *store.Stores, r store.Run) (bool, error) {
		verb, _, _ := strings.Cut(r.Kind, "/")
		title := fmt.Sprintf("%s, %s, %s", verb, r.Started.UTC().Format("2006-01-02 15:04"), r.State)
		list = append(list, Resource{URI: runScheme + string(r.ID), Name: string(r.ID), Title: title})
		return len(list) < mostRuns, nil
	})
	return list, err
}

func (s *Server) readRun(ctx context.Context, uri string) (text string, found bool, err error) {
	id, ours := strings.CutPrefix(uri, runScheme)
	if !ours {
		return "", false, nil
	}
	err = s.eachRun(ctx, func(stores *store.Stores, r store.Run) (bool, error) {
		if string(r.ID) != id {
			return true, nil
		}
		found = true
		t, err := stores.Read(r)
		if err != nil {
			return false, err
		}
		subject, err := stores.FixSubject(ctx, t)
		if err != nil {
			return false, err
		}
		var out bytes.Buffer
		err = render.NewTraceHuman(&out, ui.Palette{}, 100).Show(t, subject)
		text = agent.Clean(out.String())
		return false, err
	})
	if len(text) > maxRunBytes {
		text = strings.ToValidUTF8(text[:maxRunBytes], "") + "\n... git agent trace show " + id + " shows the rest\n"
	}
	return text, found, err
}

// offer adds the resources to a server. Its list is made when a client asks for it.
func (s *service) offer(server *sdk.Server, from *Resources) {
	if from == nil {
		return
	}
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: runScheme + "{id}", Name: "run", Title: "A recorded run", MIMEType: runType,
		Description: "A recorded investigation of a model in this repository: what it asked and answered.",
	}, func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		text, found, err := from.Read(ctx, req.Params.URI)
		switch {
		case err != nil:
			return nil, protocolError(err)
		case !found:
			return nil, sdk.ResourceNotFoundError(req.Params.URI)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: runType, Text: s.mask(text)}}}, nil
	})
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method != "resources/list" {
				return next(ctx, method, req)
			}
			list, err := from.List(ctx)
			if err != nil {
				return nil, protocolError(err)
			}
			out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
			for _, r := range list {
				out.Resources = append(out.Resources, &sdk.Resource{URI: r.URI, Name: r.Name, Title: r.Title, MIMEType: runType})
			}
			return out, nil
		}
	})
}
