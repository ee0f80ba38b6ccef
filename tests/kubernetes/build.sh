#!/usr/bin/env bash
# Builds the Kubernetes control plane and KEDA from Go modules, for `pnpm test:k8s`. The first build takes 20 minutes on two cores,
# and 800 MB in ~/.cache. Without Go, it prints a message and builds nothing.
set -euo pipefail
cd "$(dirname "$0")/modules"
cache=$HOME/.cache/artist-watch/kube
mkdir -p "$cache/bin" "$cache/definitions"

if ! command -v go >/dev/null; then
  echo "Skipped building the control plane, because Go 1.26 or later is not on the PATH."
  exit 0
fi

build() {
  local module=$1 program=$2 package=$3
  shift 3
  [ -x "$cache/bin/$program" ] && return
  echo "Building $program …"
  (cd "$module" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w $stamp" "$@" -o "$cache/bin/$program" "$package")
}
stamp=
build etcd etcd go.etcd.io/etcd/server/v3
# Set the API server's version, which charts query, because builds from Go modules don't contain it.
version=$(sed -n 's|^require k8s.io/kubernetes ||p' kubernetes/go.mod)
stamp="-X k8s.io/component-base/version.gitVersion=$version"
if [ "$(cat "$cache/kube-apiserver.version" 2>/dev/null)" != "$version" ]; then
  rm -f "$cache/bin/kube-apiserver"
  build kubernetes kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
  echo "$version" >"$cache/kube-apiserver.version"
fi
for program in kube-controller-manager kube-scheduler; do
  build kubernetes "$program" "k8s.io/kubernetes/cmd/$program"
done
command -v kubectl >/dev/null || build kubernetes kubectl k8s.io/kubernetes/cmd/kubectl
stamp=

# KEDA's adapter listens for metrics requests on all interfaces. Patch a copy of its sources, so that it listens on loopback only.
keda=github.com/kedacore/keda/v2
directory() { (cd "$1" && go mod download -json "$2" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'); }
source=$(directory keda "$keda@v2.20.2")
build keda keda-operator "$keda/cmd/operator"
if [ ! -x "$cache/bin/keda-adapter-local" ]; then
  mkdir -p "$cache/keda"
  cp -R --no-preserve=mode "$source/." "$cache/keda/"
  sed -i 's/Sprintf(":%v", metricsAPIServerPort)/Sprintf("127.0.0.1:%v", metricsAPIServerPort)/' "$cache/keda/cmd/adapter/main.go"
  cp keda/go.sum "$cache/keda-adapter.sum"
  cp keda/go.mod "$cache/keda-adapter.mod"
  echo "replace $keda => $cache/keda" >>"$cache/keda-adapter.mod"
  build keda keda-adapter-local "$keda/cmd/adapter" -modfile "$cache/keda-adapter.mod"
  rm -r "$cache/keda"
fi

# Copy the CustomResourceDefinitions of KEDA and of the Prometheus operator.
install -m 0644 "$source"/config/crd/bases/*.yaml "$cache/definitions/"
operator=$(directory . github.com/prometheus-operator/prometheus-operator@v0.85.0)
for kind in podmonitors probes prometheusrules; do
  install -m 0644 "$operator/example/prometheus-operator-crd/monitoring.coreos.com_$kind.yaml" "$cache/definitions/"
done
