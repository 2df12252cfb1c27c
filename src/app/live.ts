import type { Logger } from 'pino';
import type { Terminals } from '../actors/terminals.js';
import { RemoteMachines, type StreamingMachines } from '../gateway/remote/remote-machines.js';
import { FanOut } from '../gateway/ws/fan-out.js';
import { ScreenViews } from '../gateway/ws/screen-views.js';

export interface LiveOptions {
  terminals: Terminals;
  screens: ConstructorParameters<typeof ScreenViews>[0];
  machines: StreamingMachines;
  logger: Logger;
}

/** Creates the parts that serve the live stream: of this machine's terminals, and of other machines' terminals. */
export function createLive({ terminals, screens, machines, logger }: LiveOptions) {
  const failed = (text: string) => (err: unknown) => logger.warn({ err }, text);
  return {
    fanOut: new FanOut(terminals, failed('a shard could not serve the live stream')),
    remote: new RemoteMachines({
      machines,
      onFault: failed('the live stream of another machine has failed'),
    }),
    screens: new ScreenViews(screens, failed('a shard could not tell what screens show')),
  };
}
