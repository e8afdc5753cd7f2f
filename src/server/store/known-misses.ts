import type { Store } from './store.js';

/** The firings that a schedule is known to have missed. */
export interface KnownMisses {
  /** Of the schedule: one that is created anew counts from 0. ISO 8601. */
  created_at: string;
  missed: number;
  /** When a worker noticed the last one. ISO 8601. */
  at: string;
}

/** Undefined: none is known. */
export async function readMisses(
  store: Store,
  project: string,
  schedule: string,
  createdAt: string,
): Promise<KnownMisses | undefined> {
  const bytes = await store.getNamed(nameOf(project, schedule));
  const known = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as KnownMisses);
  return known?.created_at === createdAt ? known : undefined;
}

export function keepMisses(store: Store, project: string, schedule: string, known: KnownMisses): Promise<void> {
  return store.putNamed(nameOf(project, schedule), new TextEncoder().encode(JSON.stringify(known)));
}

function nameOf(project: string, schedule: string): string {
  return `schedules/${project}/${schedule}`;
}
