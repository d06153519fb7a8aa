package page

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// small writes a picture again with 256 colours, at a third of the bytes: the
// most frequent ones, and of the others those that are like none of them.
func small(text []byte) ([]byte, error) {
	picture, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	box := picture.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA) }
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	var colours []color.RGBA
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var few color.Palette
	for _, c := range colours {
		if len(few) < 256 && (len(few) < 160 || !alike(c, few[few.Index(c)].(color.RGBA))) {
			few = append(few, c)
		}
	}
	nearest := make(map[color.RGBA]uint8, len(colours))
	for _, c := range colours {
		nearest[c] = uint8(few.Index(c))
	}
	out := image.NewPaletted(box, few)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			out.SetColorIndex(x, y, nearest[at(x, y)])
		}
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out)
	return b.Bytes(), err
}

// alike reports whether two colours can hardly be told apart.
func alike(a, b color.RGBA) bool {
	near := func(x, y uint8) bool { return max(x, y)-min(x, y) < 28 }
	return near(a.R, b.R) && near(a.G, b.G) && near(a.B, b.B)
}
