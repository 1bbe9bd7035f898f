// Package store finds, opens, checks and removes the stored data of a user: cached answers,
// recorded runs and indexes of changed lines, in a folder for each repository. It also reads the
// agent.* settings, one of which names the place of these folders. The verbs cache and index are
// here, except for their command lines.
package store
