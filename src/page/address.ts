import { signal } from '@preact/signals';

/** The view and its filters, which are all in the address. */
export const address = signal(new URL(location.href));

addEventListener('popstate', () => {
  address.value = new URL(location.href);
});

/** Opens a view. @param to a path with its query. */
export function goTo(to: string, replaces = false): void {
  history[replaces ? 'replaceState' : 'pushState'](null, '', to);
  address.value = new URL(location.href);
  if (!replaces) scrollTo(0, 0);
}

/** Sets filters of the view; an empty text takes one out. */
export function setFilters(filters: Record<string, string>): void {
  const next = new URL(address.value);
  for (const [name, value] of Object.entries(filters)) {
    if (value === '') next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  goTo(next.pathname + next.search, true);
}

export function filter(name: string): string {
  return address.value.searchParams.get(name) ?? '';
}

export function taskPath(key: string): string {
  return `/tasks/${encodeURIComponent(key)}`;
}

export function abilityPath(id: string): string {
  return `/abilities/${encodeURIComponent(id)}`;
}

/** A click on a link within the page opens its view without loading the page anew. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest?.('a');
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.target !== '' || link.hasAttribute('download')) return;
  if (link.origin !== location.origin || /^\/(v1|page)\//.test(link.pathname)) return;
  event.preventDefault();
  goTo(link.pathname + link.search);
}
