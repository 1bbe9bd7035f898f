package commitmsg

import (
	"slices"
	"testing"
)

func TestContacts(t *testing.T) {
	t.Parallel()
	got := Contacts(`a: do it

Because.

Signed-off-by: Ann <ann@example.org>
Reviewed-by: "Bob, B." <bob@example.org>
reviewed-by: Carl <CARL@example.org>
Acked-by: Carl <carl@example.org>
Co-authored-by: helper[bot] <1+helper[bot]@users.noreply.github.com>
Tested-by: no address
Cc: Eve <eve@example.org>
`)
	want := []Contact{
		{"reviewed-by", "Bob, B.", "bob@example.org"}, {"reviewed-by", "Carl", "CARL@example.org"}, {"signed-off-by", "Ann", "ann@example.org"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if people := Contacts("Reviewed-by: the subject <a@example.org>"); people != nil {
		t.Errorf("the subject is a trailer: %+v", people)
	}
}
