import { setText } from './dom.ts';
import { keepTheme, readTheme, THEMES, type Theme } from './session.ts';

/** Makes `button` go through the themes. `auto` follows the system. */
export function startTheme(button: HTMLElement): void {
  let theme = readTheme();
  show(button, theme);
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
    keepTheme(theme);
    show(button, theme);
  });
}

function show(button: HTMLElement, theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  setText(button, `Theme: ${theme}`);
}
