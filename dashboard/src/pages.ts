import { type ComponentType, createElement, lazy, useState } from 'react';
import { MachinesBadge } from './machines/machines-badge.js';
import { NeedsBadge } from './needs/needs-badge.js';

/** A page of the dashboard, as the navigation, the palette and the router know it. */
export interface Page {
  /** Pattern of the router; an optional part at the end has a `?`. */
  path: string;
  name: string;
  /** Second stroke of the key `g …` that goes there. */
  key?: string;
  component: ComponentType;
  /** Loads the code of the page. */
  load: () => Promise<unknown>;
  /** Badge beside the name in the navigation. */
  badge?: ComponentType;
}

/**
 * Returns a page whose code is loaded when it is needed. Once loaded, the page is drawn at once: React would show the
 * fallback of a lazy part for 300 ms, however short the wait.
 */
function code(load: () => Promise<{ default: ComponentType }>): Pick<Page, 'component' | 'load'> {
  let loaded: ComponentType | undefined;
  const Awaited = lazy(load);
  return {
    component: () => createElement(useState(() => loaded ?? Awaited)[0]),
    load: async () => {
      loaded = (await load()).default;
    },
  };
}

/** The pages, in the order of the navigation. Pages without a key are reached from others. */
export const PAGES: readonly Page[] = [
  {
    path: '/needs',
    name: 'Needs you',
    key: 'n',
    ...code(() => import('./needs/needs-page.js')),
    badge: NeedsBadge,
  },
  { path: '/', name: 'Wall', key: 'w', ...code(() => import('./wall/wall-page.js')) },
  { path: '/t/:id', name: 'Terminal', ...code(() => import('./terminal/terminal-page.js')) },
  { path: '/search', name: 'Search', key: 's', ...code(() => import('./search/search-page.js')) },
  {
    path: '/w/:tabId?',
    name: 'Workspace',
    key: 't',
    ...code(() => import('./workspace/workspace-page.js')),
  },
  { path: '/canvas', name: 'Canvas', key: 'v', ...code(() => import('./canvas/canvas-page.js')) },
  {
    path: '/processes',
    name: 'Processes',
    key: 'p',
    ...code(() => import('./processes/processes-page.js')),
  },
  {
    path: '/recordings',
    name: 'Recordings',
    key: 'r',
    ...code(() => import('./recordings/recordings-page.js')),
  },
  {
    path: '/recordings/:id',
    name: 'Recording',
    ...code(() => import('./recordings/player-page.js')),
  },
  {
    path: '/machines',
    name: 'Machines',
    key: 'm',
    ...code(() => import('./machines/machines-page.js')),
    badge: MachinesBadge,
  },
  {
    path: '/machines/:machineId/t/:id',
    name: 'Terminal of another machine',
    ...code(() => import('./machines/remote-page.js')),
  },
  {
    path: '/guardrails/:part?',
    name: 'Guardrails',
    key: 'g',
    ...code(() => import('./guardrails/guardrails-page.js')),
  },
  {
    path: '/settings',
    name: 'Settings',
    key: 'c',
    ...code(() => import('./settings/settings-page.js')),
  },
];

/** Returns the address of a page, without its optional parts. */
export function addressOf({ path }: Page): string {
  return path.replace(/\/:\w+\?$/, '') || '/';
}

/** Whether the page, or a page beneath it, is at this path. */
export function isAt(page: Page, path: string): boolean {
  const address = addressOf(page);
  return path === address || (address !== '/' && path.startsWith(`${address}/`));
}
