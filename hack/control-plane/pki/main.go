// Command pki makes the keys of a test control plane, so that no test depends on an openssl program.
//
//	pki init FOLDER                       ca, apiserver (serving 127.0.0.1) and service-account
//	pki client FOLDER NAME USER [GROUP…]  NAME.crt and NAME.key, signed by the ca of FOLDER
//
// Nothing here is fit for production: keys are unencrypted and every certificate lives ten years.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const lifetime = 10 * 365 * 24 * time.Hour

// A pair is a certificate and its key; a root has signed itself.
type pair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pki:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == "init":
		return initialize(arguments[1])
	case len(arguments) >= 4 && arguments[0] == "client":
		return client(arguments[1], arguments[2], arguments[3], arguments[4:])
	}
	return errors.New("usage: pki init FOLDER | pki client FOLDER NAME USER [GROUP...]")
}

func initialize(folder string) error {
	authority, err := issue(nil, &x509.Certificate{
		Subject:               pkix.Name{CommonName: "windlass-test-ca"},
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
	})
	if err != nil {
		return err
	}
	serving, err := issue(authority, &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	})
	if err != nil {
		return err
	}
	serviceAccount, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return errors.Join(
		authority.write(folder, "ca"),
		serving.write(folder, "apiserver"),
		writeKey(folder, "service-account", serviceAccount),
	)
}

func client(folder, name, user string, groups []string) error {
	authority, err := read(folder, "ca")
	if err != nil {
		return err
	}
	// An API server takes the user from the common name and the groups from the organizations.
	issued, err := issue(authority, &x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return err
	}
	return issued.write(folder, name)
}

// issue completes template and signs it, by itself if there is no authority.
func issue(authority *pair, template *x509.Certificate) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	// An hour back, for clients whose clock is late.
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().Add(lifetime)
	if authority == nil {
		authority = &pair{template, key}
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, authority.certificate, key.Public(), authority.key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(signed)
	if err != nil {
		return nil, err
	}
	return &pair{certificate, key}, nil
}

func read(folder, name string) (*pair, error) {
	certificateBytes, err := readPEM(filepath.Join(folder, name+".crt"))
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(certificateBytes)
	if err != nil {
		return nil, err
	}
	keyBytes, err := readPEM(filepath.Join(folder, name+".key"))
	if err != nil {
		return nil, err
	}
	key, err := x509.ParseECPrivateKey(keyBytes)
	if err != nil {
		return nil, err
	}
	return &pair{certificate, key}, nil
}

func readPEM(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, fmt.Errorf("%s holds no PEM block", path)
	}
	return block.Bytes, nil
}

func (p *pair) write(folder, name string) error {
	return errors.Join(
		writePEM(filepath.Join(folder, name+".crt"), "CERTIFICATE", p.certificate.Raw),
		writeKey(folder, name, p.key),
	)
}

func writeKey(folder, name string, key *ecdsa.PrivateKey) error {
	content, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(folder, name+".key"), "EC PRIVATE KEY", content)
}

func writePEM(path, kind string, content []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600)
}
