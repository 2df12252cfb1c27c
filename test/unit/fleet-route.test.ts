import { describe, expect, it } from 'vitest';
import { machineFor, refuseRemote } from '../../src/actors/fleet/route.js';
import { DomainError } from '../../src/contract/errors.js';
import { FleetExecuteBody, type Machine } from '../../src/contract/fleet.js';

const machine = (machineId: string, os: Machine['os'], online = true): Machine => ({
  ...{ machineId, deviceName: `name of ${machineId}`, os, online, self: machineId === 'self' },
});
const self = machine('self', 'linux');
const [mac, otherMac, windows] = [
  machine('mac', 'macos'),
  machine('mac 2', 'macos'),
  machine('pc', 'windows', false),
];

function route(target: object, machines = [self, mac]): string | { status: number; body: object } {
  try {
    const isHere = (id: string) => id === 'here';
    return machineFor(FleetExecuteBody.parse({ command: 'x', ...target }), machines, isHere);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { status: error.status, body: { error: error.message, ...error.details } };
  }
}

describe('the machine that executes a command', () => {
  it('is the unique online machine of the targetOS', () => {
    expect(route({ targetOS: 'macos' })).toBe('mac');
    expect(route({ targetOS: 'linux' })).toBe('self');
  });

  it('is none if several online machines have the targetOS: 409 with candidates and machines', () => {
    const machines = [self, mac, otherMac, windows];
    const body = { error: 'ambiguous target', candidates: [mac, otherMac], machines };
    expect(route({ targetOS: 'macos' }, machines)).toEqual({ status: 409, body });
  });

  it('is none if no online machine has the targetOS: 404 with machines', () => {
    const machines = [self, mac, windows];
    expect(route({ targetOS: 'windows' }, machines)).toEqual({
      status: 404,
      body: { error: 'no match', machines },
    });
  });

  it('is that of the terminal, else the machineId, else the targetOS, else the local machine', () => {
    expect(route({ terminalId: 'here', machineId: 'mac', targetOS: 'windows' })).toBe('self');
    expect(route({ terminalId: 'there', machineId: 'mac', targetOS: 'windows' })).toBe('mac');
    expect(route({ machineId: 'mac', targetOS: 'windows' })).toBe('mac');
    expect(route({})).toBe('self');
    const unknown = { status: 404, body: { error: 'Terminal not found' } };
    expect(route({ terminalId: 'there' })).toEqual(unknown);
    expect(route({ terminalId: 'there', machineId: 'self' })).toEqual(unknown);
  });

  it('is out of reach unless it is this machine', () => {
    expect(() => refuseRemote('mac')).toThrow(new DomainError('peering-not-installed'));
    for (const here of ['self', undefined]) refuseRemote(here);
  });
});

describe('timeoutMs', () => {
  it.each([
    [undefined, 60_000],
    [-1, 1_000],
    [999, 1_000],
    [1_000, 1_000],
    [1_500.6, 1_501],
    [3_600_000, 3_600_000],
    [3_600_001, 3_600_000],
    [1e300, 3_600_000],
  ])('%s is clamped to 1000..3600000: %s', (timeoutMs, clamped) => {
    expect(FleetExecuteBody.parse({ command: 'x', timeoutMs }).timeoutMs).toBe(clamped);
  });
});
