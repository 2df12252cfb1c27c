/** A wait of each kind that a program without output and input never ends. */
export const ENDLESS_WAITS = [
  { until: 'command', idleMs: 3_600_000 },
  { until: 'prompt', idleMs: 3_600_000 },
  { until: 'exit' },
  { until: 'idle', idleMs: 3_600_000 },
  { until: 'text', text: 'never' },
  { until: 'text', regex: 'ne+ver' },
  { until: 'agent' },
  { until: 'agent', agentStatus: 'waiting' },
] as const;
