package rank

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"sort"
	"sync"

	"git-agent/agent/stat"
)

// ModelFile is the ranker's model as JSON. cmd/train/szztrain made it from cases with known
// answers, which Model.Made names.
//
//go:embed model.json
var ModelFile []byte

// IndexModelFile is the model that corrects the scores of the other one if there is an
// index of changed lines. Its columns are those of CorrectedNames.
//
//go:embed index_model.json
var IndexModelFile []byte

// A Model is the output of cmd/train/szztrain for the ranker. Boosted trees give each
// candidate a score in log-odds, and a calibrator turns the scores of all candidates of a
// fix into probabilities.
type Model struct {
	Made     Provenance `json:"made"`
	Features []string   `json:"features"` // the columns, in the order of training
	Trees    Forest     `json:"trees"`
	// Linear has the weights of features that too few candidates have for the trees:
	// log-odds for a value of 1, added to the score. They are fitted with the trees
	// fixed: train szz fit uses the scores of its folds. The weights of the shipped model
	// were fitted to the scores of its trees, after the training.
	Linear map[string]float64 `json:"linear,omitempty"`
	Calibrator
	// Threshold is the least probability of a suspect named beside the first. A set
	// maximises its expected F1 by naming every element whose probability exceeds half
	// the F1 reached (Lipton et al., ECML 2014).
	Threshold float64 `json:"threshold"`
	// GhostThreshold replaces Threshold for a fix that deletes nothing. The best
	// candidates of such a fix lie closer together, and a reader is better off with two.
	GhostThreshold float64 `json:"ghost_threshold"`
}

// Provenance names the training data of a model, and the quality of the method on unseen
// repositories.
type Provenance struct {
	Cases      int                `json:"cases"`
	Candidates int                `json:"candidates"`
	Repos      map[string]int     `json:"repositories"` // cases of each
	Cross      map[string]float64 `json:"cross_validation"`
}

// A Calibrator maps a candidate's score, and the strength of its rivals, to a
// probability: sigma(A*score + B*rivals + C), where rivals is the log of the summed odds
// of the other candidates.
type Calibrator struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
	C float64 `json:"c"`
}

var errNoModel = errors.New("the ranker's model does not fit its features: train again")

// loadModel and loadIndexModel parse the embedded models once, on first use.
var (
	loadModel      = sync.OnceValues(func() (*Model, error) { return parseModel(ModelFile, FeatureNames()) })
	loadIndexModel = sync.OnceValues(func() (*Model, error) { return parseModel(IndexModelFile, CorrectedNames()) })
)

func parseModel(text []byte, columns []string) (*Model, error) {
	m := &Model{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	if !slices.Equal(m.Features, columns) {
		return nil, errNoModel
	}
	return m, nil
}

// modelOf returns the model for the probabilities of the case.
func (k *Case) modelOf() (*Model, error) {
	if k.indexed {
		return loadIndexModel()
	}
	return loadModel()
}

// TrainedOn returns the repositories in the training data of the ranker's model, and the
// number of cases of each. A figure measured on these is too good.
func TrainedOn() (map[string]int, error) {
	m, err := loadModel()
	if err != nil {
		return nil, err
	}
	return maps.Clone(m.Made.Repos), nil
}

// rank scores all candidates and sorts them, most probable first. It ends early with ctx.
func (k *Case) rank(ctx context.Context) ([]Ranked, error) {
	m, err := loadModel()
	if err != nil {
		return nil, err
	}
	ranked, scores := make([]Ranked, len(k.list)), make([]float64, len(k.list))
	for i, c := range k.list {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		x := k.vector(c)
		score, because := m.explain(x)
		ranked[i], scores[i] = Ranked{Candidate: c, features: x, contributions: because}, score
	}
	if k.indexed {
		if m, err = k.correct(ranked, scores); err != nil {
			return nil, err
		}
	}
	for i, p := range m.Probabilities(scores) {
		ranked[i].Probability = p
	}
	sort.SliceStable(ranked, func(i, j int) bool { return ranked[i].Probability > ranked[j].Probability }) // ties stay in order of id
	k.doubt(ranked)
	return ranked, nil
}

// explain returns the score of a candidate with the features x, and the contribution of
// each feature to the score.
func (m *Model) explain(x []float64) (score float64, because []float64) {
	score, _, because = m.Trees.Explain(x)
	for f, name := range m.Features {
		if w := m.Linear[name] * x[f]; w != 0 {
			because[f] += w
			score += w
		}
	}
	return score, because
}

// correct adds the corrections from the index of changed lines to the scores, and returns
// the model of the corrections.
func (k *Case) correct(ranked []Ranked, scores []float64) (*Model, error) {
	m, err := loadIndexModel()
	if err != nil || len(scores) == 0 {
		return m, err
	}
	below := Below(scores)
	for i := range ranked {
		r := &ranked[i]
		plain := len(r.features)
		for _, f := range indexedFeatures {
			r.features = append(r.features, f.get(k, r.Candidate))
		}
		more, because := m.explain(append(slices.Clip(r.features), below[i]))
		for f := range plain {
			because[f] += r.contributions[f]
		}
		r.contributions = because[:len(r.features)]
		scores[i] += more
	}
	return m, nil
}

// Below returns the distance of each score from the best one.
func Below(scores []float64) []float64 {
	list := make([]float64, len(scores))
	for i, s := range scores {
		list[i] = s - slices.Max(scores)
	}
	return list
}

// Probabilities turns the scores of the candidates of one fix into probabilities.
func (c Calibrator) Probabilities(scores []float64) []float64 {
	rivals := Rivals(scores)
	ps := make([]float64, len(scores))
	for i, s := range scores {
		ps[i] = stat.Logistic(c.A*s + c.B*rivals[i] + c.C)
	}
	return ps
}

// noRival is the log of the summed odds of no rivals at all.
const noRival = -6

// Rivals returns for each score the log of the summed odds of all others.
func Rivals(scores []float64) []float64 {
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(s)
	}
	rivals := make([]float64, len(scores))
	for i, s := range scores {
		rivals[i] = math.Log(math.Exp(noRival) + max(0, sum-math.Exp(s)))
	}
	return rivals
}

// shortList returns the number of ranked candidates to name: always the first, and the
// following ones that are probable enough.
func (m *Model) shortList(ranked []Ranked, ghost bool) int {
	least := m.Threshold
	if ghost {
		least = m.GhostThreshold
	}
	n := 1
	for n < len(ranked) && ranked[n].Probability >= least {
		n++
	}
	return n
}
