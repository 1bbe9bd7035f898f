package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"git-agent/cache/record"
)

const (
	// Below this size, compression costs more than it saves.
	compressAbove = 512
	// sumSize is the size of a checksum in bytes. Earlier programs stored a tag
	// after it, which is ignored.
	sumSize = 16
	// maxValue is the largest value for SQLite, in bytes. It also bounds the
	// decompressed size of a row, because the file may be untrusted.
	maxValue = 1e9
)

// These are the encodings of a stored value. The numbers are part of the file
// format.
const (
	plain      = 0
	compressed = 1
)

// stored is a value as stored in a row.
type stored struct {
	encoding int
	size     int64 // of the value before compression
	sum      []byte
	data     []byte
}

// codec packs and unpacks values. Its zero value is ready for use. The tables of
// zstd are built on first use, because most processes need none or only the
// decoder's.
type codec struct {
	parallel         int // number of goroutines that pack or unpack; 0 is one
	encoder, decoder sync.Once
	w                *zstd.Encoder
	r                *zstd.Decoder
}

// pack encodes a value for the row identified by owner.
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

// checksum covers the row's identity as well as its bytes: a value under a wrong
// key is as wrong as a flipped bit. It covers the stored bytes, so that damaged
// input never reaches the decoder.
func (s stored) checksum(owner []byte) []byte {
	h := sha256.New()
	head := record.AppendString(nil, string(owner))
	head = binary.AppendUvarint(head, uint64(s.encoding))
	head = binary.AppendUvarint(head, uint64(s.size))
	h.Write(head)
	h.Write(s.data)
	return h.Sum(nil)[:sumSize]
}

func (c *codec) compress(value []byte) []byte {
	c.encoder.Do(func() {
		// NewWriter and NewReader fail only for wrong options; the options here
		// are constants, covered by tests.
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
