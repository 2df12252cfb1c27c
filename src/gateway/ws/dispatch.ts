import { randomUUID } from 'node:crypto';
import { DomainError } from '../../contract/errors.js';
import { ClientMessage, InputCommand, type Reply } from '../../contract/ws-messages.js';
import { bodyOf } from '../errors.js';
import type { TerminalsPort } from '../ports.js';

/** Answers one message of a client. Unknown types are acknowledged and ignored; an unreadable message gets an error. */
export async function dispatch(text: string, terminals: Pick<TerminalsPort, 'type'>): Promise<Reply> {
  const message = readMessage(text);
  if (!message) return { id: null, success: false, ...bodyOf(new DomainError('malformed-message')) };
  const { id, type, payload } = message;
  if (type === 'subscribe') return { id, success: true, data: { subscriptionId: `sub_${randomUUID()}` } };
  if (type !== 'command' || !isInput(payload)) return { id, success: true };
  const input = InputCommand.safeParse(payload);
  if (!input.success) {
    const fault = new DomainError('invalid-request', 'terminal:input needs the strings terminalId and data');
    return { id, success: false, ...bodyOf(fault) };
  }
  try {
    await terminals.type(input.data.terminalId, [{ data: input.data.data }], 'api');
    return { id, success: true };
  } catch (error) {
    if (error instanceof DomainError) return { id, success: false, ...bodyOf(error) };
    throw error;
  }
}

function readMessage(text: string) {
  try {
    return ClientMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function isInput(payload: unknown): boolean {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'action' in payload &&
    payload.action === 'terminal:input'
  );
}
