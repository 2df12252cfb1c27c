import type { EngineEvent } from '../../actors/events.js';
import { eventFrame, type LifecycleEvent } from '../../contract/ws-messages.js';

/** A lifecycle event as clients get it. */
interface LifecycleMessage {
  message: string;
  /** Kind of the event, if each event of this kind includes everything that earlier ones reported. */
  replaces?: string;
}

function lifecycleFrame(event: LifecycleEvent): string {
  return eventFrame(event);
}

/** Returns the frame of a lifecycle event; undefined for an event that clients do not get. */
export function lifecycleMessage(event: EngineEvent): LifecycleMessage | undefined {
  const { id: terminalId } = event;
  switch (event.type) {
    case 'created':
      return { message: lifecycleFrame({ type: 'terminal.created', terminalId, data: event.terminal }) };
    case 'resized': {
      const data = { cols: event.cols, rows: event.rows };
      return {
        message: lifecycleFrame({ type: 'terminal.resized', terminalId, data }),
        replaces: 'resized',
      };
    }
    case 'command': {
      const type = event.command.endedAt === null ? 'command.started' : 'command.finished';
      return { message: lifecycleFrame({ type, terminalId, data: event.command }) };
    }
    case 'agent':
      return {
        message: lifecycleFrame({ type: 'agent.status', terminalId, data: event.agent }),
        replaces: 'agent',
      };
    case 'attached':
      return { message: lifecycleFrame({ type: 'client.attached', terminalId, data: event.client }) };
    case 'detached': {
      const { clientId, name } = event.client;
      const data = { clientId, name, reason: event.reason };
      return { message: lifecycleFrame({ type: 'client.detached', terminalId, data }) };
    }
    case 'exited':
      return { message: lifecycleFrame({ type: 'terminal.exited', terminalId, data: event.exit }) };
    case 'removed':
      return { message: lifecycleFrame({ type: 'terminal.removed', terminalId, data: {} }) };
    default:
      return undefined;
  }
}
