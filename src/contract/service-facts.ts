/** Content of `run/service.json`: how programs of the service's own user reach the running service. */
export interface ServiceFacts {
  pid: number;
  /**
   * The arguments for a restart: the arguments of the start, without the ones that a change of the settings has
   * replaced.
   */
  args: readonly string[];
  /** Origin of the API on the loopback, such as `http://127.0.0.1:42031`. */
  url: string;
  /** Endpoint of the tool server; null while it does not listen. */
  mcp: string | null;
  /** Origin of the dashboard; null while it does not listen. */
  dashboard: string | null;
  /** Absolute path of the unix socket that serves the same API; null where there is none. */
  socket: string | null;
  version: string;
  /** Identifies the run of the service: each start has another. */
  instanceId: string;
}
