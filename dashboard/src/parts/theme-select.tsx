import { chooseTheme, THEME_CHOICES, type ThemeChoice, useThemeChoice } from './theme.js';

export function ThemeSelect() {
  const choice = useThemeChoice();
  return (
    <label className="theme-select">
      Theme{' '}
      <select value={choice} onChange={({ target }) => chooseTheme(target.value as ThemeChoice)}>
        {THEME_CHOICES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}
