package commitmsg

import (
	"net/mail"
	"slices"
	"strings"
)

// A Contact is a person whom the trailers of a message name.
type Contact struct {
	Role        string // the key of the trailer, in lower case: "reviewed-by"
	Name, Email string
}

// roles are the keys of trailers that name people who know a change, those who know it best first.
var roles = []string{"co-developed-by", "co-authored-by", "reviewed-by", "acked-by", "tested-by", "signed-off-by", "reported-by"}

// Contacts returns the people whom the trailers of a message name, those who know the change best
// first, each once. Addresses that nobody reads, such as those of bots, are left out.
func Contacts(message string) []Contact {
	_, trailers := Trailers(message)
	var people []Contact
	for _, role := range roles {
		for _, t := range trailers {
			if !strings.EqualFold(t.Key, role) {
				continue
			}
			a, err := mail.ParseAddress(t.Value)
			if err != nil || Unread(a.Name, a.Address) ||
				slices.ContainsFunc(people, func(c Contact) bool { return strings.EqualFold(c.Email, a.Address) }) {
				continue
			}
			people = append(people, Contact{role, a.Name, a.Address})
		}
	}
	return people
}

// Unread reports whether nobody reads the mail to a person, by the name and the address: those of
// a bot, or an address that takes no replies.
func Unread(name, email string) bool {
	user, host, ok := strings.Cut(strings.ToLower(email), "@")
	return !ok || user == "" || host == "" || strings.Contains(user, "noreply") || strings.Contains(user, "no-reply") ||
		strings.Contains(host, "noreply") || strings.HasSuffix(host, ".invalid") ||
		strings.HasSuffix(user, "[bot]") || strings.HasSuffix(strings.ToLower(name), "[bot]")
}
