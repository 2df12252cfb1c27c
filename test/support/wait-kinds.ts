/** One wait of each kind, none of which a program that prints and types nothing will ever end. */
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
