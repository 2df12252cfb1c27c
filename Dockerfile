# The service in a container, for CI and demonstrations: its terminals live in the container, and end with it.
# docs/operating.md shows how to start it.

FROM node:24-bookworm-slim AS package
WORKDIR /source
COPY . .
RUN npm ci && npm pack --pack-destination /tmp

FROM node:24-bookworm-slim
# tini takes the ended children of programs that left them; nothing else in the container would.
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/*
COPY --from=package /tmp/auto-terminal-*.tgz /tmp/
RUN npm install --global --no-audit --no-fund /tmp/auto-terminal-*.tgz \
  && rm -rf /tmp/auto-terminal-*.tgz /root/.npm \
  && useradd --create-home --shell /bin/bash terminal \
  && install -d -m 700 -o terminal -g terminal /state
COPY container/start.sh /usr/local/bin/start-auto-terminal
USER terminal
WORKDIR /home/terminal
ENV AUTO_TERMINAL_HOME=/state LANG=C.UTF-8 SHELL=/bin/bash
VOLUME /state
# Dashboard, API and MCP server.
EXPOSE 42030 42031 42032
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s CMD ["auto-terminal", "status"]
ENTRYPOINT ["tini", "--", "start-auto-terminal"]
