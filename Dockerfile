# A worker, and the command line, with the example project. Put your own project in its place:
#   FROM ability-runtime
#   COPY --chown=node . /project
#   WORKDIR /project
# The worker runs as `node` and keeps its records in /project/.system; everything else but /tmp may be read-only.

# Builds with what development needs, and leaves that behind.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund
# What is in the image, for scanners.
RUN npm run --silent sbom > sbom.cdx.json

FROM node:24-bookworm-slim
# Scripts of abilities may be Python, or run in a box; tini ends the worker's children with it.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap python3 tini \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY --from=build /build/package.json /build/sbom.cdx.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY ability.yaml ABILITY.md ./
COPY registry ./registry
COPY scripts/tools ./scripts/tools
COPY examples ./examples
COPY integration ./integration
RUN mkdir -p /store /project /app/.system && chown -R node /store /project /app/.system

# `node`, as a number, which Kubernetes can check.
USER 1000
ENV NODE_ENV=production
ENTRYPOINT ["tini", "--", "node", "/app/dist/command/bin.js"]
CMD ["worker"]
