import type { StreamsOut } from '../../fleet/streams/streams-out.js';
import type { MachinesPort } from '../elsewhere.js';
import { FanOut } from '../ws/fan-out.js';
import { RemoteAttached } from './remote-attached.js';
import { requireDone } from './remote-failure.js';
import { RemoteOutput } from './remote-output.js';

/** The other machines, with the streams by which their live output is watched here. */
export interface StreamingMachines extends MachinesPort {
  readonly streams: Pick<StreamsOut, 'open' | 'require'>;
}

export interface RemoteMachinesOptions {
  machines: StreamingMachines;
  onFault: (error: unknown) => void;
}

/** The watchers of one machine's terminals here. */
export interface RemoteMachine {
  fanOut: FanOut;
  attached: RemoteAttached;
  output: RemoteOutput;
}

/** The live output of other machines: one fan-out for each machine that is watched. */
export class RemoteMachines {
  readonly #options: RemoteMachinesOptions;
  readonly #machines = new Map<string, RemoteMachine>();

  constructor(options: RemoteMachinesOptions) {
    this.#options = options;
  }

  /** Returns the watchers of a machine. Throws peering-not-installed, machine-not-found, machine-unreachable. */
  of(machineId: string): RemoteMachine {
    this.#options.machines.streams.require(machineId);
    const machine = this.#machines.get(machineId) ?? this.#create(machineId);
    this.#machines.set(machineId, machine);
    return machine;
  }

  #create(machineId: string): RemoteMachine {
    const { machines, onFault } = this.#options;
    const attached = new RemoteAttached({
      output: () => output,
      resize: async (id, size) => {
        const url = `/api/terminals/${encodeURIComponent(id)}/resize`;
        const request = { method: 'POST', url, body: JSON.stringify(size) };
        requireDone(await machines.call(machineId, request, new AbortController().signal));
      },
      onFault,
    });
    const output = new RemoteOutput({
      ...{ machineId, streams: machines.streams },
      fanOut: () => fanOut,
      isConcerned: (client, event) => attached.isConcerned(client, event),
      onBegunAnew: (id) => attached.begunAnew(id),
      onEnded: (id) => attached.ended(id),
    });
    const fanOut = new FanOut(output, onFault);
    return { fanOut, attached, output };
  }
}
