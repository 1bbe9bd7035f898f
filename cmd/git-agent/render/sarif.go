package render

import (
	"net/url"
	"strings"
)

// These types are the part of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format)
// that answers use. Their fields are documented there.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool              sarifTool                `json:"tool"`
		AutomationDetails sarifAutomation          `json:"automationDetails"`
		OriginalURIBases  map[string]sarifArtifact `json:"originalUriBaseIds"`
		Invocations       []sarifInvocation        `json:"invocations"`
		ColumnKind        string                   `json:"columnKind"`
		Results           []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string         `json:"id"`
		ShortDescription sarifMessage   `json:"shortDescription"`
		FullDescription  sarifMessage   `json:"fullDescription"`
		Help             sarifMessage   `json:"help"`
		Properties       map[string]any `json:"properties"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Rank                float64           `json:"rank"`
		Message             sarifMessage      `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		RelatedLocations    []sarifLocation   `json:"relatedLocations,omitempty"`
		Stacks              []sarifStack      `json:"stacks,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		Properties          any               `json:"properties"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifMessage  `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI         string        `json:"uri,omitempty"`
		URIBaseID   string        `json:"uriBaseId,omitempty"`
		Description *sarifMessage `json:"description,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	sarifStack struct {
		Message sarifMessage `json:"message"`
		Frames  []sarifFrame `json:"frames"`
	}
	sarifFrame struct {
		Location sarifLocation `json:"location"`
		Module   string        `json:"module,omitempty"`
	}
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	sourceRoot  = "SRCROOT" // base of paths: the top of the work tree
)

// sarifText returns a message with a text without links and placeholders.
func sarifText(s string) sarifMessage {
	return sarifMessage{strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}").Replace(s)}
}

// sarifPlace returns a place in a tracked file. Viewers need a line, so a place without a line
// gets line 1.
func sarifPlace(path string, line, column int) *sarifPhysical {
	return &sarifPhysical{
		Artifact: sarifArtifact{URI: relativeURI(path), URIBaseID: sourceRoot},
		Region:   sarifRegion{StartLine: max(line, 1), StartColumn: column},
	}
}

// relativeURI returns the URI of a path, relative to the top. It escapes colons, because a colon
// in the first part would end a scheme.
func relativeURI(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
