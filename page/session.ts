/** The function key lives as long as the tab; the theme is only a taste and stays. */
const KEY = 'tributary.functionKey';
const THEME = 'tributary.theme';

export function readKey(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

export function keepKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY);
}

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function readTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(THEME)) ?? 'auto';
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(THEME, theme);
}
