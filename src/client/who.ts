import type { Principal } from './types.js';

/** Details of a refusal by the input gate (`locked`, `lease-lost`): the writer or draft that blocks the caller. */
export interface Blame {
  holder?: Principal | null | undefined;
  draft?: boolean | undefined;
  retryAfterMs?: number | undefined;
}

/** Returns a principal in words for people; an unverified name is marked as the client's own claim. */
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

/** Returns in words what blocks the caller's input; undefined if nothing is known. */
export function inTheWay({ holder, draft, retryAfterMs }: Blame): string | undefined {
  const words = [
    ...(holder ? [`In the way: ${principalName(holder)}`] : []),
    ...(draft ? ['a person has a half-typed line'] : []),
    ...(retryAfterMs === undefined ? [] : [`worth another try in ${Math.ceil(retryAfterMs / 1_000)} s`]),
  ];
  const text = words.join('; ');
  return text === '' ? undefined : `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
