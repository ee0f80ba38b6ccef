#!/usr/bin/env bash
# Builds the control plane that `pnpm test:k8s` starts, out of Go modules: 15 minutes on two cores the first time, 500 MB in the
# cache. Says in one sentence what is missing where Go is not there.
set -euo pipefail
cd "$(dirname "$0")/modules"
cache=$HOME/.cache/artist-watch/kube
mkdir -p "$cache/bin" "$cache/definitions"

if ! command -v go >/dev/null; then
  echo "No control plane is built: Go 1.26 or later is not on the PATH."
  exit 0
fi

build() {
  local module=$1 program=$2 package=$3
  [ -x "$cache/bin/$program" ] && return
  echo "Building $program …"
  (cd "$module" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$cache/bin/$program" "$package")
}
build etcd etcd go.etcd.io/etcd/server/v3
for program in kube-apiserver kube-controller-manager kube-scheduler; do
  build kubernetes "$program" "k8s.io/kubernetes/cmd/$program"
done
command -v kubectl >/dev/null || build kubernetes kubectl k8s.io/kubernetes/cmd/kubectl

# The definitions of KEDA's objects and of the Prometheus operator's.
definitions() {
  local module=$1 folder=$2 directory
  directory=$(go mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  for file in "${@:3}"; do install -m 0644 "$directory/$folder/$file.yaml" "$cache/definitions/"; done
}
definitions github.com/kedacore/keda/v2@v2.20.2 config/crd/bases keda.sh_scaledobjects keda.sh_triggerauthentications
definitions github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd \
  monitoring.coreos.com_podmonitors monitoring.coreos.com_probes monitoring.coreos.com_prometheusrules
