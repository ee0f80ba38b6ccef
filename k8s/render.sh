#!/bin/sh
# Renders the overlays into k8s/rendered. Reviewers see changes there, and tests validate it on machines without kubectl.
set -eu
cd "$(dirname "$0")"
for overlay in local/data local/migration local production/migration production; do
  kubectl kustomize "overlays/$overlay" >"rendered/$(echo "$overlay" | tr / -).yaml"
done
