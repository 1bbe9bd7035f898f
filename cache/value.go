package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	// Below this size compression costs more than the bytes that it saves.
	compressAbove = 512
	// A checksum has this many bytes. Earlier programs stored a tag after it,
	// which nothing reads.
	sumSize = 16
	// SQLite can hold a value of this size. It is also the most that a row may
	// decompress to, because the file may come from a stranger.
	maxValue = 1e9
)

// These are the encodings of a stored value. The numbers are part of the file
// format.
const (
	plain      = 0
	compressed = 1
)

// stored is a value as a row holds it.
type stored struct {
	encoding int
	size     int64 // of the value before compression
	sum      []byte
	data     []byte
}

// codec packs and unpacks values. Its zero value is ready for use. The tables
// of zstd are built on first use, because most processes need none or only
// those of the decoder.
type codec struct {
	parallel         int // how many goroutines pack or unpack at the same time; 0 is one
	encoder, decoder sync.Once
	w                *zstd.Encoder
	r                *zstd.Decoder
}

// pack encodes a value for the row that owner identifies.
func (c *codec) pack(owner, value []byte) stored {
	s := stored{encoding: plain, size: int64(len(value)), data: value}
	if len(value) > compressAbove {
		if z := c.compress(value); len(z) < len(value) {
			s.encoding, s.data = compressed, z
		}
	}
	if s.data == nil {
		s.data = []byte{} // nil would be stored as NULL
	}
	s.sum = s.checksum(owner)
	return s
}

// unpack returns the value, or an error if pack did not make this row for
// owner.
func (c *codec) unpack(owner []byte, s stored) ([]byte, error) {
	if err := s.check(owner); err != nil {
		return nil, err
	}
	if s.encoding == plain {
		return s.data, nil
	}
	if s.size < 0 || s.size > maxValue {
		return nil, fmt.Errorf("value of %d bytes", s.size)
	}
	value, err := c.decompress(s)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	if int64(len(value)) != s.size {
		return nil, fmt.Errorf("value has %d bytes, want %d", len(value), s.size)
	}
	return value, nil
}

// check reports an error unless pack made these bytes for owner.
func (s stored) check(owner []byte) error {
	if len(s.sum) < sumSize || !bytes.Equal(s.sum[:sumSize], s.checksum(owner)) {
		return fmt.Errorf("checksum of a value of %d bytes does not match", len(s.data))
	}
	return nil
}

// checksum covers the row's identity as well as its bytes: a value found under
// another key is as wrong as one with a flipped bit. It covers the bytes as
// stored, so that damaged input never reaches the decoder.
func (s stored) checksum(owner []byte) []byte {
	h := sha256.New()
	head := appendString(nil, string(owner))
	head = binary.AppendUvarint(head, uint64(s.encoding))
	head = binary.AppendUvarint(head, uint64(s.size))
	h.Write(head)
	h.Write(s.data)
	return h.Sum(nil)[:sumSize]
}

func (c *codec) compress(value []byte) []byte {
	c.encoder.Do(func() {
		// The only errors of NewWriter and NewReader are those of their options,
		// and these are constants that the tests run.
		c.w, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(max(c.parallel, 1)), zstd.WithEncoderCRC(false))
	})
	return c.w.EncodeAll(value, nil)
}

func (c *codec) decompress(s stored) ([]byte, error) {
	c.decoder.Do(func() {
		c.r, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(max(c.parallel, 1)), zstd.WithDecoderMaxMemory(maxValue))
	})
	return c.r.DecodeAll(s.data, make([]byte, 0, s.size))
}
