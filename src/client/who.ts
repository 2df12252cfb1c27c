import type { Principal } from './types.js';

/** What a refusal of the input gate (`locked`, `lease-lost`) says of who is in the way. */
export interface Blame {
  holder?: Principal | null | undefined;
  draft?: boolean | undefined;
  retryAfterMs?: number | undefined;
}

/** Returns who somebody is, in words for people: what is not verified is said to be so by the client itself. */
export function principalName({
  kind,
  name,
  terminalId,
  pid,
  verified,
  token,
  machineId,
}: Principal): string {
  if (kind === 'user') return 'a person';
  const where = name ?? terminalId;
  const details = [
    ...(where === undefined ? [] : [verified ? where : `${where}, as it says`]),
    ...(token ? [`token ${token.name}`] : []),
    ...(machineId === undefined ? [] : [`machine ${machineId}`]),
    ...(pid === undefined ? [] : [`pid ${pid}`]),
  ];
  const what = {
    agent: 'a program in a terminal',
    service: 'a program',
    mcp: 'an MCP client',
    fleet: 'a fleet run',
  };
  return details.length === 0 ? what[kind] : `${what[kind]} (${details.join(', ')})`;
}

/** Returns what is in the way of somebody who wants to type, in words; undefined if nothing is known of it. */
export function inTheWay({ holder, draft, retryAfterMs }: Blame): string | undefined {
  const words = [
    ...(holder ? [`In the way: ${principalName(holder)}`] : []),
    ...(draft ? ['a person has a half-typed line'] : []),
    ...(retryAfterMs === undefined ? [] : [`worth another try in ${Math.ceil(retryAfterMs / 1_000)} s`]),
  ];
  const text = words.join('; ');
  return text === '' ? undefined : `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
