// A real Kubernetes API server that serves custom resources and nothing else: validation with CEL, server-side apply, status
// subresource, watch, resource versions and tables are those of Kubernetes. There is no authentication, no authorization, no
// admission and no core type. It is made from Debian's packages only; the lane "api-server" builds and starts it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context) error {
	o := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	o.RecommendedOptions.Authentication = nil
	o.RecommendedOptions.Authorization = nil
	o.RecommendedOptions.Admission = nil
	flags := pflag.NewFlagSet("api-server", pflag.ContinueOnError)
	o.AddFlags(flags)
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	if err := o.Complete(); err != nil {
		return err
	}
	config, err := o.Config()
	if err != nil {
		return err
	}
	server, err := config.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	return server.GenericAPIServer.PrepareRun().RunWithContext(ctx)
}
