{{/* `settings` and `blocks` return JSON. The others change an object in place and return nothing. */}}

{{/* The data of the ConfigMap with the settings. */}}
{{- define "artist-watch.settings" -}}
{{- range $text := splitList "\n---\n" (.Files.Get "rendered/production.yaml") -}}
{{- $object := fromYaml $text -}}
{{- if and (eq $object.kind "ConfigMap") (hasPrefix "settings" $object.metadata.name) -}}
{{- $values := dict "API_PUBLIC_URL" (printf "https://%s/v1" $.Values.hosts.api) "DASHBOARD_URL" (printf "https://%s" $.Values.hosts.dashboard) -}}
{{- if $.Values.tracing.enabled -}}{{- $_ := set $values "OTEL_EXPORTER_OTLP_ENDPOINT" $.Values.tracing.endpoint -}}{{- end -}}
{{- /* toString would return 1e+06 for 1000000. */ -}}
{{- range $name, $value := $.Values.settings -}}{{- $_ := set $values $name (kindIs "string" $value | ternary $value (toJson $value)) -}}{{- end -}}
{{- toJson (mergeOverwrite $object.data $values) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "artist-watch.template" -}}
{{- $values := .values -}}
{{- $labels := .template.metadata.labels -}}
{{- $pod := .template.spec -}}
{{- with $values.image.pullSecrets -}}
{{- $names := list -}}
{{- range . -}}{{- $names = append $names (dict "name" .) -}}{{- end -}}
{{- $_ := set $pod "imagePullSecrets" $names -}}
{{- end -}}
{{- if $values.openshift -}}
{{- $_ := set $pod "securityContext" (omit $pod.securityContext "runAsUser" "runAsGroup") -}}
{{- end -}}
{{- range $container := $pod.containers -}}
{{- $program := regexReplaceAll "^.*/([a-z-]+):.*$" $container.image "${1}" -}}
{{- $image := printf "%s/%s:%s" $values.image.registry $program (default $.root.Chart.AppVersion $values.image.tag) -}}
{{- with index $values.image.digests $program -}}{{- $image = printf "%s@%s" $image . -}}{{- end -}}
{{- $_ := set $container "image" $image -}}
{{- range $variable := $container.env -}}
{{- with dig "valueFrom" "secretKeyRef" nil $variable -}}
{{- $_ := set . "name" (default .name (index $values.secrets .name)) -}}
{{- end -}}
{{- end -}}
{{- if and $values.storeAuthorities (or (hasKey $labels "reaches-postgres") (hasKey $labels "reaches-redis")) -}}
{{- $names := list "NODE_EXTRA_CA_CERTS" -}}
{{- /* psql, redis-cli and curl ignore NODE_EXTRA_CA_CERTS. */ -}}
{{- if eq $program "toolbox" -}}{{- $names = list "NODE_EXTRA_CA_CERTS" "PGSSLROOTCERT" "SSL_CERT_FILE" -}}{{- end -}}
{{- range $names -}}
{{- $_ := set $container "env" (append $container.env (dict "name" . "value" "/etc/store-authorities/ca.pem")) -}}
{{- end -}}
{{- $_ := set $container "volumeMounts" (list (dict "name" "store-authorities" "mountPath" "/etc/store-authorities" "readOnly" true)) -}}
{{- $_ := set $pod "volumes" (list (dict "name" "store-authorities" "configMap" (dict "name" $values.storeAuthorities))) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Merges `from` into `onto` as values.yaml describes for overrides. */}}
{{- define "artist-watch.merge" -}}
{{- range $key, $value := .from -}}
{{- $old := index $.onto $key -}}
{{- if and (kindIs "map" $value) (kindIs "map" $old) -}}
{{- include "artist-watch.merge" (dict "onto" $old "from" $value) -}}
{{- else if and $old (has $key (list "containers" "initContainers" "env" "volumes")) -}}
{{- $added := dict -}}
{{- range $value -}}{{- $_ := set $added .name . -}}{{- end -}}
{{- $items := list -}}
{{- range $item := $old -}}
{{- $change := index $added $item.name -}}
{{- if and $change (hasSuffix "ontainers" $key) -}}
{{- include "artist-watch.merge" (dict "onto" $item "from" $change) -}}
{{- else if $change -}}
{{- $item = $change -}}
{{- end -}}
{{- $items = append $items $item -}}
{{- $_ := unset $added $item.name -}}
{{- end -}}
{{- range $value -}}{{- if hasKey $added .name -}}{{- $items = append $items . -}}{{- end -}}{{- end -}}
{{- $_ := set $.onto $key $items -}}
{{- else -}}
{{- $_ := set $.onto $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "artist-watch.blocks" -}}
{{- $blocks := list -}}
{{- range . -}}{{- $blocks = append $blocks (dict "ipBlock" (dict "cidr" .)) -}}{{- end -}}
{{- toJson $blocks -}}
{{- end -}}

{{- define "artist-watch.policy" -}}
{{- $values := .values -}}
{{- $name := .object.metadata.name -}}
{{- if hasPrefix "to-" $name -}}
{{- with index $values.stores (trimPrefix "to-" $name) -}}
{{- $_ := set (index $.object.spec.egress 0) "to" (include "artist-watch.blocks" .cidrs | fromJsonArray) -}}
{{- $_ := set (index (index $.object.spec.egress 0).ports 0) "port" .port -}}
{{- end -}}
{{- else if eq $name "everybody-to-dns" -}}
{{- $rule := index .object.spec.egress 0 -}}
{{- if $values.openshift -}}
{{- $_ := set $rule "to" (list (dict "namespaceSelector" (dict "matchLabels" (dict "kubernetes.io/metadata.name" "openshift-dns")) "podSelector" (dict "matchLabels" (dict "dns.operator.openshift.io/daemonset-dns" "default")))) -}}
{{- range $rule.ports -}}{{- $_ := set . "port" 5353 -}}{{- end -}}
{{- end -}}
{{- $_ := set $rule "to" (concat $rule.to (include "artist-watch.blocks" $values.dnsCidrs | fromJsonArray)) -}}
{{- else if eq $name "metrics" -}}
{{- $labels := $values.openshift | ternary (dict "network.openshift.io/policy-group" "monitoring") (dict "kubernetes.io/metadata.name" $values.monitoring.namespace) -}}
{{- $_ := set (index (index .object.spec.ingress 0).from 0).namespaceSelector "matchLabels" $labels -}}
{{- else if hasKey .object.metadata.labels "from-ingress" -}}
{{- $rule := index .object.spec.ingress 0 -}}
{{- if $values.ingress.cidrs -}}
{{- $_ := set $rule "from" (concat (include "artist-watch.blocks" $values.ingress.cidrs | fromJsonArray) (rest $rule.from)) -}}
{{- else -}}
{{- $labels := $values.openshift | ternary (dict "policy-group.network.openshift.io/ingress" "") (dict "kubernetes.io/metadata.name" $values.ingress.namespace) -}}
{{- $_ := set (index $rule.from 0).namespaceSelector "matchLabels" $labels -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "artist-watch.change" -}}
{{- $object := .object -}}
{{- $values := .values -}}
{{- $name := $object.metadata.name -}}
{{- $kind := $object.kind -}}
{{- with dig "spec" "template" nil $object -}}
{{- include "artist-watch.template" (dict "template" . "values" $values "root" $.root) -}}
{{- end -}}
{{- if and (eq $kind "ConfigMap") (hasPrefix "settings" $name) -}}
{{- $_ := set $object "data" .settings -}}
{{- else if eq $kind "NetworkPolicy" -}}
{{- include "artist-watch.policy" . -}}
{{- else if eq $kind "Deployment" -}}
{{- if hasPrefix "egress-" $name -}}
{{- $_ := set $object.spec "replicas" $values.replicas.egress -}}
{{- else if eq $name "change-ingest" -}}
{{- $_ := set $object.spec "replicas" (index $values.replicas $name) -}}
{{- else if and (eq $name "webhook-worker") (not $values.keda.enabled) -}}
{{- $_ := set $object.spec "replicas" (index $values.replicas $name).min -}}
{{- end -}}
{{- else if eq $kind "HorizontalPodAutoscaler" -}}
{{- $_ := set $object.spec "minReplicas" (index $values.replicas $name).min -}}
{{- $_ := set $object.spec "maxReplicas" (index $values.replicas $name).max -}}
{{- else if eq $kind "ScaledObject" -}}
{{- $_ := set $object.spec "minReplicaCount" (index $values.replicas $name).min -}}
{{- $_ := set $object.spec "maxReplicaCount" (index $values.replicas $name).max -}}
{{- range $object.spec.triggers -}}{{- $_ := set .metadata "serverAddress" $values.keda.prometheus -}}{{- end -}}
{{- else if eq $kind "CronJob" -}}
{{- $template := $object.spec.jobTemplate.spec.template -}}
{{- include "artist-watch.template" (dict "template" $template "values" $values "root" .root) -}}
{{- if eq $name "cli" -}}
{{- $workers := index $values.replicas "webhook-worker" -}}
{{- $most := ternary $workers.max $workers.min $values.keda.enabled | int -}}
{{- $replicas := printf "api=%d,change-ingest=%d,webhook-worker=%d,dashboard=%d" (add1 $values.replicas.api.max) (add1 (index $values.replicas "change-ingest")) (div (add (mul 5 $most) 3) 4) (add1 $values.replicas.dashboard.max) -}}
{{- $_ := set (index $template.spec.containers 0) "args" (list "doctor" "--replicas" $replicas) -}}
{{- end -}}
{{- else if eq $kind "Ingress" -}}
{{- $_ := set $object.spec "ingressClassName" $values.ingress.className -}}
{{- with $values.ingress.annotations -}}{{- $_ := set $object.metadata "annotations" . -}}{{- end -}}
{{- end -}}
{{- if eq $name "migrate" -}}
{{- $hook := dict "helm.sh/hook" "pre-install,pre-upgrade" "helm.sh/hook-delete-policy" "before-hook-creation" "helm.sh/hook-weight" (ternary "-1" "0" (eq $kind "ServiceAccount")) -}}
{{- $_ := set $object.metadata "annotations" $hook -}}
{{- end -}}
{{- if and $values.monitoring.labels (has $kind (list "PodMonitor" "Probe" "PrometheusRule")) -}}
{{- $_ := set $object.metadata "labels" (merge dict $values.monitoring.labels (default dict $object.metadata.labels)) -}}
{{- end -}}
{{- with index $values.overrides (printf "%s/%s" $kind $name) -}}
{{- include "artist-watch.merge" (dict "onto" $object "from" (deepCopy .)) -}}
{{- end -}}
{{- end -}}
