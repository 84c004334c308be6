// Package server answers requests.
package server

import (
	"fmt"
	nethttp "net/http"
)

const DefaultPort = 8080

const (
	StateIdle = iota
	StateBusy
)

var ErrClosed, ErrBusy = fmt.Errorf("closed"), fmt.Errorf("busy")

// Server holds the listener.
type Server struct {
	Addr string
	mu   sync.Mutex
}

type Handler interface {
	Serve(w nethttp.ResponseWriter) error
}

type Option func(*Server)

// New makes a Server.
func New(addr string, options ...Option) *Server {
	s := &Server{Addr: addr}
	for _, option := range options {
		option(s)
	}
	return s
}

// Close stops it.
func (s *Server) Close() error {
	return ErrClosed
}

func (l *List[T]) Push(value T) {
	l.items = append(l.items, value)
}

type (
	ID   int
	Name = string
)
