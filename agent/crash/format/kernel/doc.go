// Package kernel reads the reports of operating systems: Linux, the BSDs, and Xen.
package kernel
