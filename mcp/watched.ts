import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { DomainError } from '../src/contract/errors.js';
import { SidecarOrder, type SidecarReport, type SidecarSettings } from '../src/contract/sidecar.js';
import { PortTakenError } from '../src/gateway/port-owner.js';
import { Sidecar } from './sidecar.js';

/** Runs the sidecar of a service: its settings come over the IPC channel, and it ends when the channel closes. */
export function runWatched(logger: Logger, onEnd: (exitCode: number) => void): void {
  let sidecar: Sidecar | undefined;
  // Orders run one after the other, so that the last order wins.
  const inTurn = pLimit(1);

  async function follow(settings: SidecarSettings): Promise<string> {
    if (sidecar) await sidecar.change(settings);
    else sidecar = await Sidecar.start(settings, logger);
    return sidecar.url;
  }

  process.on('message', (message) => {
    const { id, settings } = SidecarOrder.parse(message);
    void inTurn(async () => {
      const report: SidecarReport = await follow(settings).then(
        (url) => ({ id, url }),
        (error: unknown) => ({ id, ...faultOf(error) }),
      );
      // The service has disconnected meanwhile: the sidecar is being stopped, and still answers its clients.
      if (!process.connected) return;
      // If the service ends at this moment, the send fails. A disconnect follows then, and nobody needs the report.
      process.send?.(report, () => undefined);
      if (sidecar && !sidecar.isListening) onEnd(1);
    });
  });
  // The service has ended or has disconnected: nobody waits for an order in work.
  process.once('disconnect', () => {
    const end = () => onEnd(0);
    if (sidecar) void sidecar.stop().then(end, end);
    else end();
  });
  // Ctrl+C and a hangup reach the whole process group, and a stop by systemd the whole unit. Only the service decides when
  // to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

function faultOf(error: unknown): { error: string; isPortTaken: boolean } {
  const message = error instanceof Error ? error.message : String(error);
  const isPortTaken =
    error instanceof PortTakenError || (error instanceof DomainError && error.code === 'port-taken');
  return { error: message, isPortTaken };
}
