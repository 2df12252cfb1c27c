import { type ComponentType, lazy } from 'react';
import { NeedsBadge } from './needs/needs-badge.js';

/** A page of the dashboard, as the navigation, the palette and the router know it. */
export interface Page {
  /** Pattern of the router; a part in the end that may be absent has a `?`. */
  path: string;
  name: string;
  /** Second stroke of the key `g …` that goes there. */
  key?: string;
  component: ComponentType;
  /** Stands beside the name in the navigation. */
  badge?: ComponentType;
}

/** The pages, in the order of the navigation. Those without a key are reached from others. */
export const PAGES: readonly Page[] = [
  {
    path: '/needs',
    name: 'Needs you',
    key: 'n',
    component: lazy(() => import('./needs/needs-page.js')),
    badge: NeedsBadge,
  },
  { path: '/', name: 'Wall', key: 'w', component: lazy(() => import('./wall/wall-page.js')) },
  { path: '/t/:id', name: 'Terminal', component: lazy(() => import('./terminal/terminal-page.js')) },
  { path: '/search', name: 'Search', key: 's', component: lazy(() => import('./search/search-page.js')) },
  {
    path: '/w/:tabId?',
    name: 'Workspace',
    key: 't',
    component: lazy(() => import('./workspace/workspace-page.js')),
  },
  { path: '/canvas', name: 'Canvas', key: 'v', component: lazy(() => import('./canvas/canvas-page.js')) },
  {
    path: '/processes',
    name: 'Processes',
    key: 'p',
    component: lazy(() => import('./processes/processes-page.js')),
  },
  {
    path: '/recordings',
    name: 'Recordings',
    key: 'r',
    component: lazy(() => import('./recordings/recordings-page.js')),
  },
  {
    path: '/recordings/:id',
    name: 'Recording',
    component: lazy(() => import('./recordings/player-page.js')),
  },
  {
    path: '/machines',
    name: 'Machines',
    key: 'm',
    component: lazy(() => import('./machines/machines-page.js')),
  },
  {
    path: '/settings',
    name: 'Settings',
    key: 'c',
    component: lazy(() => import('./settings/settings-page.js')),
  },
];

/** Returns the address of a page, without what may be absent of it. */
export function addressOf({ path }: Page): string {
  return path.replace(/\/:\w+\?$/, '') || '/';
}
