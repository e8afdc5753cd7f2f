# A worker, and the command line, with the example project. Put your own project in its place:
#   FROM ability-runtime
#   COPY --chown=node . /project
#   WORKDIR /project
# The worker runs as `node` and keeps its records in /project/.system.
FROM node:20-bookworm-slim

# Scripts of abilities may be Python; tini ends the worker's children with it.
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 tini \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY . .
RUN npm ci && mkdir -p /store /project /app/.system && chown -R node /store /project /app/.system

USER node
ENV NODE_ENV=production
ENTRYPOINT ["tini", "--", "node", "/app/dist/command/bin.js"]
CMD ["worker"]
