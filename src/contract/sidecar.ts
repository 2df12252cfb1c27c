import { z } from 'zod';
import { LocalUsersSetting, Port } from './settings.js';

/** Flag of the process that the service starts: its settings come over the channel, as a {@link SidecarOrder}. */
export const WATCHED = 'watched';

/** What the tool server runs with: of its environment when it runs alone, or told by the service that watches it. */
export const SidecarSettings = z.object({
  /** Address to listen to; everybody must show the token where it is not the loopback. */
  host: z.string(),
  /** 0 is any free one. */
  port: Port,
  /** Origin of the REST API. */
  apiUrl: z.string(),
  /** What it shows the API, and what its own clients must show where it listens to more than the loopback. */
  token: z.string().optional(),
  /** The only instance that it talks to; any, when absent. */
  instanceId: z.string().optional(),
  /** Origins of pages that may ask. */
  allowedOrigins: z.array(z.string()),
  /** Users of this machine that may ask while it listens to the loopback. */
  localUsers: LocalUsersSetting,
  /** Pages served from this port of the loopback may ask; 0 is none. */
  dashboardPort: z.int(),
  /** Milliseconds after which a session that nobody uses is dropped. */
  sessionIdleMs: z.int(),
});
export type SidecarSettings = z.infer<typeof SidecarSettings>;

/** Service to sidecar, over the IPC channel: run with these from now on. */
export const SidecarOrder = z.object({ id: z.int(), settings: SidecarSettings });
export type SidecarOrder = z.infer<typeof SidecarOrder>;

/** The answer to the order of this id: where it listens now, or why not; then it runs as before. */
export const SidecarReport = z.union([
  z.object({ id: z.int(), url: z.string() }),
  z.object({ id: z.int(), error: z.string(), isPortTaken: z.boolean() }),
]);
export type SidecarReport = z.infer<typeof SidecarReport>;
