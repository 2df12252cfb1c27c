import { lazy, Suspense, useState } from 'react';
import { useShortcuts } from './shortcuts.js';

const CommandPalette = lazy(() => import('./command-palette.js'));

/** Opens the palette by its key. */
export function PaletteKey() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ 'ctrl+k': () => setOpen(true), 'ctrl+shift+p': () => setOpen(true) });
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <CommandPalette onClose={() => setOpen(false)} />
    </Suspense>
  );
}
