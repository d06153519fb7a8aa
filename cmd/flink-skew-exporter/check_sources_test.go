package main

import (
	"strings"
	"testing"
)

func TestCheckNamesSources(t *testing.T) {
	file := writeFile(t, "config.yml", "file_sd_configs: [{files: [/a/*.json]}]\n"+
		"http_sd_configs: [{url: 'http://inventory/list?key=s3cr3t', refresh_interval: 5m}]\nprobe: {allow_targets: ['*.svc']}\n")
	got := execute(t, "check", "config", file)
	for _, want := range []string{
		"  clusters from /a/*.json, read every 15s\n", "  clusters from http://inventory/list, asked every 5m0s\n", "  probes of *.svc\n",
	} {
		if got.code != exitOK || !strings.Contains(got.stdout, want) {
			t.Errorf("code %d, no %q in\n%s", got.code, want, got.stdout)
		}
	}
	if strings.Contains(got.stdout, "s3cr3t") || strings.Contains(got.stdout, "no clusters") {
		t.Errorf("%s", got.stdout)
	}
}
