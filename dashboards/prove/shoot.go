package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/picture"
)

// shoot has Chromium draw the page and writes it as a PNG of few colours.
func (p *prover) shoot(ctx context.Context, page picture.Page) error {
	text, err := page.HTML()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "dashboards-shoot-")
	if err != nil {
		return fmt.Errorf("make a folder for Chromium: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	source, raw := filepath.Join(work, "page.html"), filepath.Join(work, "page.png")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write a page for Chromium: %w", err)
	}
	cmd := exec.CommandContext(ctx, p.options.chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--user-data-dir="+filepath.Join(work, "profile"), fmt.Sprintf("--window-size=%d,%d", picture.Width, page.Height()),
		"--screenshot="+raw, "file://"+source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("run %s: %w: %s", p.options.chromium, err, out)
	}
	shot, err := os.Open(raw)
	if err != nil {
		return fmt.Errorf("open Chromium's picture: %w", err)
	}
	defer func() { _ = shot.Close() }()
	img, err := png.Decode(shot)
	if err != nil {
		return fmt.Errorf("decode Chromium's picture: %w", err)
	}
	return writePNG(filepath.Join(p.options.pictures, page.Board.UID+".png"), fewColours(img))
}

func writePNG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a picture: %w", err)
	}
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(f, img); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Close()
}

// fewColours maps the picture to at most 256 colours: the most frequent ones,
// at a distance from each other that the eye sees. A page is flat areas and
// text, so that this costs nothing to look at and two thirds of the bytes.
func fewColours(img image.Image) *image.Paletted {
	const apart = 24
	r := img.Bounds()
	count := map[color.RGBA]int{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			count[rgba(img.At(x, y))]++
		}
	}
	var palette color.Palette
	for len(palette) < 256 {
		var best color.RGBA
		most := 0
		for c, n := range count {
			// Equal counts are ordered by colour, so that the bytes do not vary.
			if n > most || n == most && key(c) < key(best) {
				best, most = c, n
			}
		}
		if most == 0 {
			break
		}
		palette = append(palette, best)
		for c := range count {
			if distance(c, best) < apart {
				delete(count, c)
			}
		}
	}
	out := image.NewPaletted(r, palette)
	known := map[color.RGBA]uint8{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := rgba(img.At(x, y))
			i, found := known[c]
			if !found {
				i = uint8(palette.Index(c))
				known[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}

func rgba(c color.Color) color.RGBA { return color.RGBAModel.Convert(c).(color.RGBA) }

func key(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }

func distance(a, b color.RGBA) int {
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return d(a.R, b.R) + d(a.G, b.G) + d(a.B, b.B)
}
