package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report/weekly"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

const (
	// webhookTime bounds the whole post.
	webhookTime = 30 * time.Second
	// maxWebhookFile bounds the file that holds the address.
	maxWebhookFile = 64 << 10
)

// webhookFlags say where the digest is posted. The address is a secret: chat
// servers let whoever knows it write.
type webhookFlags struct {
	url, file, format, link *string
}

func addWebhookFlags(c *kingpin.CmdClause) *webhookFlags {
	return &webhookFlags{
		url:    c.Flag("webhook", "Address to post the digest to. It is a secret, and other users of the machine see command lines: the variable or --webhook-file keep it.").PlaceHolder("URL").String(),
		file:   c.Flag("webhook-file", "File that holds the address.").PlaceHolder("FILE").String(),
		format: enum(c, "webhook-format", "What is posted; slack is JSON that Slack, Mattermost and Rocket.Chat take", "slack", "plain"),
		link:   c.Flag("webhook-link", "Address of the whole report, to end the digest with.").PlaceHolder("URL").String(),
	}
}

// check refuses flags that contradict each other before anything is read.
func (f *webhookFlags) check() error {
	if *f.url != "" && *f.file != "" {
		return usagef("--webhook and --webhook-file are both given; keep one of them")
	}
	_, err := f.target()
	return err
}

// target is the address, empty when there is none to post to.
func (f *webhookFlags) target() (config.Secret, error) {
	text, flag := *f.url, "--webhook"
	if *f.file != "" {
		flag = "--webhook-file " + *f.file
		b, err := readStart(*f.file)
		if err != nil {
			return "", usagef("%s cannot be read: %w", flag, cause(err))
		}
		text = strings.TrimSpace(string(b))
		if text == "" {
			return "", usagef("%s holds no address", flag)
		}
	}
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", usagef("%s: the address must begin with http:// or https://", flag)
	}
	return config.Secret(text), nil
}

func readStart(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxWebhookFile))
}

// post sends the digest. No redirect is followed, and nothing of the address
// but its host gets into an error.
func (f *webhookFlags) post(ctx context.Context, r *weekly.Report) error {
	target, err := f.target()
	if err != nil || target == "" {
		return err
	}
	body, kind, err := f.body(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, webhookTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.Reveal(), bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook's address cannot be used")
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", appName+"/"+buildinfo.Read().Version)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		var sent *url.Error
		if errors.As(err, &sent) {
			err = sent.Err
		}
		return fmt.Errorf("posting to the webhook at %s: %w", req.URL.Host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the webhook at %s answered %d %s; check its address and --webhook-format", req.URL.Host, resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	return nil
}

// body is what is posted, and its media type.
func (f *webhookFlags) body(r *weekly.Report) (body []byte, kind string, err error) {
	var b bytes.Buffer
	if err := weekly.Write(&b, r, weekly.FormatText, weekly.Options{}); err != nil {
		return nil, "", err
	}
	if *f.format == "plain" {
		if *f.link != "" {
			fmt.Fprintln(&b, *f.link)
		}
		return b.Bytes(), "text/plain; charset=utf-8", nil
	}
	// Slack reads these three as markup.
	text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(b.String())
	if *f.link != "" {
		text += "<" + *f.link + "|the whole report>\n"
	}
	body, err = json.Marshal(map[string]string{"text": text})
	return body, "application/json", err
}
