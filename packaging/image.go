package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// blob is a file of an image, named by its digest.
type blob struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"`
	Size      int    `json:"size"`
	content   []byte
}

func newBlob(kind string, content []byte) blob {
	sum := sha256.Sum256(content)
	return blob{"application/vnd.oci.image." + kind, "sha256:" + hex.EncodeToString(sum[:]), len(content), content}
}

func jsonBlob(kind string, value any) (blob, error) {
	text, err := json.Marshal(value)
	return newBlob(kind, text), err
}

// image packs the program with its licences as a container image, an OCI layout in a tar
// file that `podman load`, `skopeo` and `docker load` read.
func (w *work) image(p platform) error {
	if p.os != "linux" {
		return nil
	}
	var layer, plain bytes.Buffer
	held := []entry{{"bin/pentode", w.at(p, p.program()), 0o755}, {"share/doc/pentode/LICENSE", "LICENSE", 0o644}, {"share/doc/pentode/NOTICES", w.noticesFile(p), 0o644}}
	if err := writeTar(&layer, "usr", held, w.commit); err != nil {
		return err
	}
	if err := unzip(&plain, layer.Bytes()); err != nil {
		return err
	}
	inside := sha256.Sum256(plain.Bytes())
	config, err := jsonBlob("config.v1+json", map[string]any{
		"created": w.commit.Format(time.RFC3339), "architecture": p.arch, "os": p.os,
		"config":  map[string]any{"Entrypoint": []string{"/usr/bin/pentode"}, "WorkingDir": "/work", "Env": []string{"PATH=/usr/bin", "HOME=/tmp"}},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(inside[:])}},
		"history": []any{map[string]any{"created": w.commit.Format(time.RFC3339), "created_by": "pentode packaging"}},
	})
	if err != nil {
		return err
	}
	content := newBlob("layer.v1.tar+gzip", layer.Bytes())
	manifest, err := jsonBlob("manifest.v1+json", map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": []blob{content},
	})
	if err != nil {
		return err
	}
	index, err := json.Marshal(map[string]any{"schemaVersion": 2, "manifests": []any{map[string]any{
		"mediaType": manifest.MediaType, "digest": manifest.Digest, "size": manifest.Size,
		"platform":    map[string]string{"architecture": p.arch, "os": p.os},
		"annotations": map[string]string{"org.opencontainers.image.ref.name": "pentode:" + w.version},
	}}})
	if err != nil {
		return err
	}
	return w.create(fmt.Sprintf("pentode-%s-%s.oci.tar", w.version, p.arch), func(out io.Writer) error {
		t := tar.NewWriter(out)
		put := func(name string, content []byte) error {
			h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), ModTime: w.commit, Format: tar.FormatPAX}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			_, err := t.Write(content)
			return err
		}
		if err := put("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)); err != nil {
			return err
		}
		if err := put("index.json", index); err != nil {
			return err
		}
		for _, b := range []blob{manifest, config, content} {
			if err := put("blobs/sha256/"+b.Digest[len("sha256:"):], b.content); err != nil {
				return err
			}
		}
		return t.Close()
	})
}
