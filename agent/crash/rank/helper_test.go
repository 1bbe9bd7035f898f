package rank

import "testing"

// The handler of an event, as in craibo/ha_strava#157, is where the program works; that of a signal is not.
func TestHelpersByName(t *testing.T) {
	t.Parallel()
	for function, want := range map[string]bool{
		"strava_config_update_handler": false, "http.request_handler": false,
		"handler": true, "crash_handler": true, "core_handler": true, "app_terminate_handler": true, "log_error": true, "xmalloc": true,
	} {
		if got := isHelper(function); got != want {
			t.Errorf("%s: %v", function, got)
		}
	}
}
