import { useState } from 'react';
import { late } from './late.js';
import { useShortcuts } from './shortcuts.js';

const CommandPalette = late(() => import('./command-palette.js'));

/** Opens the palette by its key. */
export function PaletteKey() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ 'ctrl+k': () => setOpen(true), 'ctrl+shift+p': () => setOpen(true) });
  if (!isOpen) return null;
  return <CommandPalette onClose={() => setOpen(false)} />;
}
