package doctor

import "testing"

// A mistyped setting has a nearest one; a different word has none.
func TestUnknown(t *testing.T) {
	t.Parallel()
	others := []Setting{{Key: "agent.testCommand"}, {Key: "agent.sandboxRead"}}
	for key, want := range map[string]string{
		"agent.testcomand": "agent.testCommand", "agent.sandboxreadable": "agent.sandboxRead", "agent.baseuri": "agent.baseUrl",
		"agent.nonsense": "", "agent.x.y": "",
	} {
		if got, unknown := Unknown(others, key); !unknown || got != want {
			t.Errorf("%s: %q, %t", key, got, unknown)
		}
	}
	for _, key := range []string{"agent.testcommand", "agent.model"} {
		if got, unknown := Unknown(others, key); unknown || got != "" {
			t.Errorf("%s: %q, %t", key, got, unknown)
		}
	}
}
