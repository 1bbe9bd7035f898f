// Package ui has the user interface of all verbs: text with colours, widths and escaped
// characters, streams to a terminal or a pager, and usage texts and completions made from the
// parser's list of options.
package ui
