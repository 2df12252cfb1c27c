// Entry point of a shard's worker thread.
import { workerData } from 'node:worker_threads';
import { releaseWhenQuiet } from '../memory-release.js';
import { HostConnection } from '../pty-host/client/host-client.js';
import { SpillFile } from '../spill-file.js';
import { shortenTimeSlice } from '../time-slice.js';
import type { ShardOptions } from './protocol.js';
import { Shard } from './shard.js';
import { StreamPort } from './stream-port.js';

releaseWhenQuiet();
shortenTimeSlice();
const { port: toMain, socketPath, instanceId, scrollback, spillFolder } = workerData as ShardOptions;
const host = await HostConnection.connect(socketPath, { role: 'shard', instanceId });

const port = new StreamPort(toMain);
const onFault = ({ message }: Error) => port.post({ type: 'spill-fault', error: message });
// Node closes the spill file's descriptor when the thread ends.
const spill = new SpillFile({ folder: spillFolder, onFault });
port.serve(new Shard({ host, scrollback, port, spill }));

await host.closed;
// Without the pty host a shard has no terminals to serve. This error ends the thread, which the supervisor detects.
throw new Error('the pty host closed the connection');
