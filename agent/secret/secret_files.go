package secret

import (
	"path"
	"strings"
)

// secretFiles lists patterns (of package path, in lower case) for files whose
// purpose is to store secrets.
var secretFiles = []string{
	".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".pgpass", ".git-credentials", ".htpasswd", ".npmrc", ".pypirc",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.ppk", "*.kdbx", "*.kdb", "*.keystore", "*.jks", "*.gpg",
	"credentials", "credentials.json", "client_secret*.json", "service-account*.json", "*.tfstate", "*.tfvars",
}

// exampleFiles lists names that match secretFiles but by convention hold no
// secrets.
var exampleFiles = []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", "*.pub"}

// MustRedact reports whether the content of the file name, a path with slashes,
// must not be shown because such files usually contain secrets.
func MustRedact(name string) bool {
	base := strings.ToLower(path.Base(name))
	return matchesAny(base, secretFiles) && !matchesAny(base, exampleFiles)
}

func matchesAny(base string, patterns []string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, base); ok && err == nil {
			return true
		}
	}
	return false
}
