# A worker, and the command line, with the example project. Put your own project in its place:
#   FROM ability-runtime
#   COPY . /project
#   WORKDIR /project
FROM node:20-bookworm-slim

# Scripts of abilities may be Python; tini ends the worker's children with it.
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 tini \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY . .
RUN npm ci && mkdir -p /store /app/.system && chown -R node /store /app/.system

USER node
ENV NODE_ENV=production
ENTRYPOINT ["tini", "--", "node", "/app/dist/doors/cli/bin.js"]
CMD ["worker"]
