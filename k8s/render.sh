#!/bin/sh
# Writes k8s/rendered, which shows changes to reviewers, and which the tests validate on machines without kubectl.
set -eu
cd "$(dirname "$0")"
for overlay in local/data local/migration local production/migration production; do
  kubectl kustomize "overlays/$overlay" >"rendered/$(echo "$overlay" | tr / -).yaml"
done
