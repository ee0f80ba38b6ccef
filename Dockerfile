# Each program has its own build target and image, for example: docker build --target api .
# Contents and sizes of the images: docs/images.md

# The newest LTS version that the dependencies support. .ci/on-lts runs tests with the same version.
ARG NODE_IMAGE=node:24.21.0-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

# The files are the same on every architecture, so they are built once, on the builder's architecture.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
ENV CI=true
WORKDIR /app
# Download packages in a separate layer, which is rebuilt only when a dependency changes.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml .npmrc ./
RUN npx --yes "pnpm@$(node -p "require('./package.json').config.pnpm")" fetch
COPY . .
RUN node tools/setup/run.mjs build

FROM build AS api-files
RUN node tools/images/collect.mjs @artist-watch/api /image

FROM build AS change-ingest-files
RUN node tools/images/collect.mjs @artist-watch/change-ingest /image

FROM build AS webhook-worker-files
RUN node tools/images/collect.mjs @artist-watch/webhook-worker /image

FROM build AS dashboard-files
RUN node tools/images/collect.mjs @artist-watch/dashboard /image

FROM build AS egress-proxy-files
RUN node tools/images/collect.mjs @artist-watch/egress-proxy /image

FROM build AS migrate-files
RUN node tools/images/collect.mjs @artist-watch/persistence /image

FROM build AS platform-simulator-files
RUN node tools/images/collect.mjs @artist-watch/platform-simulator /image

FROM build AS mailbox-files
RUN node tools/images/collect.mjs @artist-watch/mailbox /image

FROM build AS cli-files
RUN node tools/images/collect.mjs @artist-watch/cli /image

FROM build AS demo-files
RUN node tools/images/collect.mjs @artist-watch/local-stack /image

# Node without a package manager, so that nothing can be installed in a container.
FROM ${NODE_IMAGE} AS node-alone
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn-* /usr/local/bin/npm /usr/local/bin/npx \
  /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg /usr/local/bin/docker-entrypoint.sh

# One layer, because a lower layer would still contain the removed files.
FROM scratch AS runtime
COPY --from=node-alone / /
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.vendor="Artist Watch" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# Limit malloc to two arenas. Otherwise each of V8's threads would keep memory in its own arena (docs/adr/0017).
ENV PATH=/usr/local/bin:/usr/bin:/bin \
  NODE_ENV=production \
  ARTIST_WATCH_VERSION=${VERSION} \
  ARTIST_WATCH_REVISION=${REVISION} \
  MALLOC_ARENA_MAX=2 \
  HEALTH_URL=http://127.0.0.1:9090/readyz
WORKDIR /app
# The user `node`, as a number, so that Kubernetes can verify that it is not root.
USER 1000:1000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=120s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch(process.env.HEALTH_URL, { signal: AbortSignal.timeout(8000) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node"]

FROM runtime AS change-ingest
LABEL org.opencontainers.image.title="artist-watch-change-ingest" \
  org.opencontainers.image.description="Watches artists, confirms changes and queues their deliveries."
COPY --from=change-ingest-files /image /app
EXPOSE 8081 9090
CMD ["--heap-growing-percent=100", "services/change-ingest/dist/main.js"]

FROM runtime AS webhook-worker
LABEL org.opencontainers.image.title="artist-watch-webhook-worker" \
  org.opencontainers.image.description="Signs webhooks and delivers them through the egress proxies."
COPY --from=webhook-worker-files /image /app
EXPOSE 9090
# A larger young generation has room for the garbage of a hundred concurrent requests. V8 collects older objects when the heap has
# doubled (docs/adr/0017).
CMD ["--max-semi-space-size=32", "--heap-growing-percent=100", "services/webhook-worker/dist/main.js"]

FROM runtime AS dashboard
LABEL org.opencontainers.image.title="artist-watch-dashboard" \
  org.opencontainers.image.description="The pages for members, and the emails to them."
COPY --from=dashboard-files /image /app
EXPOSE 8082 9090
CMD ["services/dashboard/dist/main.js"]

FROM runtime AS egress-proxy
LABEL org.opencontainers.image.title="artist-watch-egress-proxy" \
  org.opencontainers.image.description="Forward proxy that refuses private destinations."
COPY --from=egress-proxy-files /image /app
EXPOSE 3128 9090
CMD ["--max-semi-space-size=2", "--heap-growing-percent=50", "services/egress-proxy/dist/main.js"]

FROM runtime AS migrate
LABEL org.opencontainers.image.title="artist-watch-migrate" \
  org.opencontainers.image.description="Applies the missing migrations to the database, then exits."
COPY --from=migrate-files /image /app
HEALTHCHECK NONE
CMD ["packages/persistence/dist/migrate-main.js"]

FROM runtime AS platform-simulator
LABEL org.opencontainers.image.title="artist-watch-platform-simulator" \
  org.opencontainers.image.description="Simulates the HTTP APIs of the streaming platforms, including their quirks."
COPY --from=platform-simulator-files /image /app
ENV SIMULATOR_HOST=0.0.0.0 \
  SIMULATOR_PORT=8090 \
  SIMULATOR_CONTROL_PORT=8091 \
  HEALTH_URL=http://127.0.0.1:8091/artists
EXPOSE 8090 8091
CMD ["tools/platform-simulator/dist/main.js"]

FROM runtime AS mailbox
LABEL org.opencontainers.image.title="artist-watch-mailbox" \
  org.opencontainers.image.description="Receives and shows the emails of the demo, and forwards none."
COPY --from=mailbox-files /image /app
ENV LISTEN_HOST=0.0.0.0 \
  MAILBOX_SMTP_PORT=2525 \
  MAILBOX_PORT=8025 \
  HEALTH_URL=http://127.0.0.1:8025/mails
EXPOSE 2525 8025
CMD ["tools/mailbox/dist/main.js"]

FROM runtime AS cli
LABEL org.opencontainers.image.title="artist-watch-cli" \
  org.opencontainers.image.description="Operator and customer commands."
COPY --from=cli-files /image /app
HEALTHCHECK NONE
ENTRYPOINT ["node", "tools/cli/dist/main.js"]
CMD ["--help"]

# The commands in docs/runbooks work unchanged in this image.
FROM cli AS toolbox
LABEL org.opencontainers.image.title="artist-watch-toolbox" \
  org.opencontainers.image.description="The CLI with psql, redis-cli and curl, for the runbooks."
USER 0
RUN apt-get update && apt-get install --yes --no-install-recommends \
  ca-certificates postgresql-client redis-tools curl \
  && rm -rf /var/lib/apt/lists/*
COPY --chmod=0755 tools/images/toolbox/pnpm /usr/local/bin/pnpm
USER 1000:1000
ENV PSQL_HISTORY=/dev/null PSQL_PAGER="" PGSSLROOTCERT=/etc/ssl/certs/ca-certificates.crt
ENTRYPOINT ["sleep"]
CMD ["infinity"]

FROM runtime AS demo
LABEL org.opencontainers.image.title="artist-watch-demo" \
  org.opencontainers.image.description="Removes one release from the simulated platform and shows the change, up to its signed webhook."
COPY --from=demo-files /image /app
HEALTHCHECK NONE
CMD ["tools/local-stack/dist/visit-main.js"]

# `docker build .` builds the last target.
FROM runtime AS api
LABEL org.opencontainers.image.title="artist-watch-api" \
  org.opencontainers.image.description="The REST API."
COPY --from=api-files /image /app
EXPOSE 8080 9090
# The heap may grow to four times its used size between collections (docs/adr/0017).
CMD ["--heap-growing-percent=300", "services/api/dist/main.js"]
