import { create } from 'zustand';
import type { ThemeName } from '../screens/palette.js';

/** Theme that a person has chosen; `system` follows the settings of the system. */
export type ThemeChoice = ThemeName | 'system';
export const THEME_CHOICES: readonly ThemeChoice[] = ['system', 'dark', 'light', 'contrast'];

const KEY = 'auto-terminal.theme';
const light = matchMedia('(prefers-color-scheme: light)');
const contrast = matchMedia('(prefers-contrast: more)');

function stored(): ThemeChoice {
  const choice = localStorage.getItem(KEY);
  return THEME_CHOICES.find((each) => each === choice) ?? 'system';
}

function themeOf(choice: ThemeChoice): ThemeName {
  if (choice !== 'system') return choice;
  if (contrast.matches) return 'contrast';
  return light.matches ? 'light' : 'dark';
}

const useChoice = create<{ choice: ThemeChoice; theme: ThemeName }>(() => {
  const choice = stored();
  return { choice, theme: themeOf(choice) };
});

function apply(): void {
  const { choice } = useChoice.getState();
  const theme = themeOf(choice);
  document.documentElement.dataset.theme = theme;
  useChoice.setState({ theme });
}

/** Follows the system, and other windows of the dashboard. Call once. */
export function startTheme(): void {
  apply();
  for (const query of [light, contrast]) query.addEventListener('change', apply);
  addEventListener('storage', ({ key }) => {
    if (key !== KEY) return;
    useChoice.setState({ choice: stored() });
    apply();
  });
}

export function chooseTheme(choice: ThemeChoice): void {
  localStorage.setItem(KEY, choice);
  useChoice.setState({ choice });
  apply();
}

/** Returns the theme in which the page is drawn. */
export function useTheme(): ThemeName {
  return useChoice(({ theme }) => theme);
}

export function useThemeChoice(): ThemeChoice {
  return useChoice(({ choice }) => choice);
}
