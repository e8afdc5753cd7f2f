import { signal } from '@preact/signals';
import { goTo } from '../address.js';

export const isHelpOpen = signal(false);

const VIEWS = ['/inbox', '/tasks', '/abilities', '/schedules', '/gaps'];

/** Whether a key belongs to what is typed in. */
function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
}

/** The keys of the whole page; those of a row click the button that names them. */
export function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const { key } = event;
  const view = VIEWS[Number(key) - 1];
  if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
  else if (key === '?') isHelpOpen.value = true;
  else if (key === '/') document.querySelector<HTMLElement>('[data-search]')?.focus();
  else if (view !== undefined) goTo(view);
  else {
    const row = document.activeElement?.closest('[data-row]');
    const button = row?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (!button) return;
    button.click();
  }
  event.preventDefault();
}

function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
