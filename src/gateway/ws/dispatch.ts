import { randomUUID } from 'node:crypto';
import { DomainError } from '../../contract/errors.js';
import { ClientMessage, type Reply } from '../../contract/ws-messages.js';
import { toWireError } from '../errors.js';
import { type CommandContext, runCommand } from './commands.js';

/** Answers one message of a client. Unknown types are acknowledged and ignored; an unreadable message gets an error. */
export async function dispatch(text: string, context: CommandContext): Promise<Reply> {
  const message = readMessage(text);
  if (!message) return refusal(null, new DomainError('malformed-message'));
  const { id, type, payload } = message;
  if (type === 'subscribe') return { id, success: true, data: { subscriptionId: `sub_${randomUUID()}` } };
  if (type !== 'command') return { id, success: true };
  try {
    context.rights.count();
    const data = await runCommand(payload, context);
    return { id, success: true, ...(data && { data }) };
  } catch (error) {
    if (error instanceof DomainError) return refusal(id, error);
    throw error;
  }
}

/** Returns the reply to a message that fails, with the status that the same fault has over HTTP. */
function refusal(id: unknown, fault: DomainError): Reply {
  const { status, body } = toWireError(fault);
  return { id, success: false, ...body, status };
}

/** Returns undefined also for an id that no reply can echo, since it is nested deeper than the call stack reaches. */
function readMessage(text: string) {
  try {
    const message = ClientMessage.safeParse(JSON.parse(text)).data;
    JSON.stringify(message?.id);
    return message;
  } catch {
    return undefined;
  }
}
