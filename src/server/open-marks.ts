import type { EffectMarks } from '../activities/effect-mark.js';
import { StoredMarks } from './effect-marks.js';
import { FolderStore } from './store/folder-store.js';
import type { Store } from './store/store.js';

/** The marks of calls in a store. */
export function openMarks(store: Store): EffectMarks {
  if (store instanceof FolderStore) return new StoredMarks(store.folder);
  throw new Error(`${store.where} keeps no marks`);
}
