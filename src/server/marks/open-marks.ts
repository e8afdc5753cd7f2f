import type { EffectMarks } from '../../activities/effect-mark.js';
import { FolderStore } from '../store/folder-store.js';
import type { Store } from '../store/store.js';
import { StoredMarks } from './effect-marks.js';
import { ListedMarks } from './listed-marks.js';

/** The marks of calls in a store. A file system creates a file once, whoever tries at the same time; not every store does. */
export function openMarks(store: Store): EffectMarks {
  return store instanceof FolderStore ? new StoredMarks(store.folder, () => store.check(true)) : new ListedMarks(store);
}
