// Package ui is what people see of the program, whatever the verb: text with colours,
// widths and escaped characters, the streams with a terminal or a pager behind them, and
// the usage texts and completions, which are made from the parser's list of options.
package ui
