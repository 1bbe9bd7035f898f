// Package store finds, opens, checks and removes what the program keeps for its user:
// cached answers, recorded runs and indexes of changed lines, in a folder for each
// repository. It also reads the agent.* settings, one of which says where these folders
// are. The verbs cache and index are here, but for their command lines.
package store
