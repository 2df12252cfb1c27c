import { z } from 'zod';
import { Port } from './port.js';
import { LocalUsersSetting } from './settings.js';

/** Flag of a tool server that the service starts: its settings come over the IPC channel, as a {@link SidecarOrder}. */
export const WATCHED = 'watched';

/** Settings of the tool server: from its environment when it runs alone, or from the service that started it. */
export const SidecarSettings = z.object({
  /** Address to listen on. On any address but the loopback, every client must send the token. */
  host: z.string(),
  /** Port to listen on; 0 is any free port. */
  port: Port,
  /** Origin of the REST API. */
  apiUrl: z.string(),
  /** Token that it sends to the API, and that its own clients must send unless it listens on the loopback only. */
  token: z.string().optional(),
  /** Whether each of its clients must show a token, with which it calls the API: the setting `access.mode` is `guarded`. */
  isGuarded: z.boolean().optional(),
  /** Id of the only instance of the service that it talks to; any instance when absent. */
  instanceId: z.string().optional(),
  /** Origins of pages that may send requests. */
  allowedOrigins: z.array(z.string()),
  /** Users of this machine that may send requests while it listens on the loopback. */
  localUsers: LocalUsersSetting,
  /** Loopback port whose pages may send requests; 0 is none. */
  dashboardPort: z.int(),
  /** Milliseconds after which an unused session is dropped. */
  sessionIdleMs: z.int(),
});
export type SidecarSettings = z.infer<typeof SidecarSettings>;

/** Message from the service to the sidecar over the IPC channel: use these settings from now on. */
export const SidecarOrder = z.object({ id: z.int(), settings: SidecarSettings });
export type SidecarOrder = z.infer<typeof SidecarOrder>;

/** The sidecar's answer to the order of this id: its new URL, or why the order failed, so that it runs as before. */
export const SidecarReport = z.union([
  z.object({ id: z.int(), url: z.string() }),
  z.object({ id: z.int(), error: z.string(), isPortTaken: z.boolean() }),
]);
export type SidecarReport = z.infer<typeof SidecarReport>;
