import { byId, setText } from './dom.ts';

export interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button that goes ahead says. */
  readonly yes: string;
  readonly isDangerous?: boolean;
  /** A choice to make along with the answer. */
  readonly option?: string;
}

export interface Consent {
  readonly isOptionChosen: boolean;
}

/** Asks before something happens. Undefined: the viewer said no, or pressed Escape. */
export function ask({ title, text, yes, isDangerous = false, option }: Question): Promise<Consent | undefined> {
  const dialog = element('ask-dialog', HTMLDialogElement);
  const box = element('ask-option-box', HTMLInputElement);
  const button = byId('ask-yes');
  setText(byId('ask-title'), title);
  setText(byId('ask-text'), text);
  setText(button, yes);
  setText(byId('ask-option-text'), option ?? '');
  button.classList.toggle('danger', isDangerous);
  byId('ask-option').hidden = option === undefined;
  box.checked = false;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    const onClose = () => resolve(dialog.returnValue === 'yes' ? { isOptionChosen: box.checked } : undefined);
    dialog.addEventListener('close', onClose, { once: true });
  });
}

/** Asks for the function key until there is one; `problem` says why it is asked for again. */
export function askForKey(problem: string): Promise<string> {
  const dialog = element('key-dialog', HTMLDialogElement);
  const input = element('key', HTMLInputElement);
  setText(byId('key-problem'), problem);
  input.value = '';
  input.setAttribute('aria-invalid', String(problem !== ''));
  if (!dialog.open) dialog.showModal();
  input.focus();
  return new Promise((resolve) => {
    const stay = (event: Event) => event.preventDefault();
    dialog.addEventListener('cancel', stay);
    const onClose = () => {
      const key = input.value.trim();
      input.value = '';
      // Browsers close a dialog on a second Escape whatever its `cancel` handler says.
      if (key === '') dialog.showModal();
      else {
        dialog.removeEventListener('cancel', stay);
        dialog.removeEventListener('close', onClose);
        resolve(key);
      }
    };
    dialog.addEventListener('close', onClose);
  });
}

function element<Kind extends HTMLElement>(id: string, kind: abstract new () => Kind): Kind {
  const found = byId(id);
  if (found instanceof kind) return found;
  throw new TypeError(`${id} is no ${kind.name}`);
}
