// Entry point of a shard's worker thread.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { serve } from '../link.js';
import { releaseWhenQuiet } from '../memory-release.js';
import { HostConnection } from '../pty-host/client/host-client.js';
import { SpillFile } from '../spill-file.js';
import { shortenTimeSlice } from '../time-slice.js';
import type { ShardOptions } from './protocol.js';
import { Shard } from './shard.js';
import { StreamPort } from './stream-port.js';

releaseWhenQuiet();
shortenTimeSlice();
const { stream, socketPath, instanceId, scrollback, spillFolder } = workerData as ShardOptions;
const host = await HostConnection.connect(socketPath, { role: 'shard', instanceId });

const port = new StreamPort(stream);
const onFault = ({ message }: Error) => port.post({ type: 'spill-fault', error: message });
// Node closes the spill file's descriptor when the thread ends.
const spill = new SpillFile({ folder: spillFolder, onFault });
serve(new Shard({ host, scrollback, port, spill }), parentPort as MessagePort);

await host.closed;
// Without the pty host a shard has no terminals to serve. This error ends the thread, which the supervisor detects.
throw new Error('the pty host closed the connection');
