import { DomainError } from '../../../contract/errors.js';
import type { HostRequest } from '../../../contract/host-protocol.js';
import { hrMs } from '../../clock.js';
import type { HostedTerminal } from '../hosted-terminal.js';
import type { ForegroundJobs } from '../processes/foreground-jobs.js';
import { faultOf } from './host-fault.js';
import type { Reply } from './reply-capture.js';

/** Signals the job in the foreground of a terminal, and replies with whether that was done. */
export async function replySignal(
  terminal: Pick<HostedTerminal, 'exit' | 'record' | 'pid'> | undefined,
  { signal, sparesProgram, deadline }: Extract<HostRequest, { op: 'signal' }>,
  jobs: Pick<ForegroundJobs, 'signal'>,
  reply: (reply: Reply) => void,
): Promise<void> {
  try {
    if (!terminal || terminal.exit) throw new DomainError('terminal-not-found');
    const { record, pid } = terminal;
    const request = { signal, sparesProgram };
    await jobs.signal({ session: record.session, pid }, request, () => hrMs() > deadline);
    reply({ value: null });
  } catch (error) {
    reply({ error: faultOf(error) });
  }
}
