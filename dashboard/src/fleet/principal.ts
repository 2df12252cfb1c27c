import type { Principal } from '../../../src/client/browser.js';
import { plainLabel } from './words.js';

/** Returns a principal in words, as far as the service knows it: `a person`, `the program in builder`. */
export function wordsOfPrincipal({ kind, name, machineId, token }: Principal): string {
  const where = name === undefined ? undefined : plainLabel(name);
  const words = {
    user: 'a person',
    agent: where === undefined ? 'a program in a terminal' : `the program in ${where}`,
    mcp: where === undefined ? 'a tool client (MCP)' : `the tool client in ${where}`,
    fleet: machineId === undefined ? 'a run of the fleet' : `the machine ${plainLabel(machineId)}`,
    service: 'a client of the API',
  }[kind];
  return token === undefined ? words : `${words}, token ${plainLabel(token.name)}`;
}
