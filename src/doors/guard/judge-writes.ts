import { resolve } from 'node:path';
import type { Finding } from './finding.js';
import type { Places } from './places.js';
import type { Bases } from './registered-scripts.js';
import { isKnown, patternOf } from './shell/marks.js';

/**
 * Why a shell may not write to a path; nothing where it may.
 *
 * @param whole the write is about a folder with all that is in it.
 */
export function judgeWrite(path: string, whole: boolean, { folders, isLost }: Bases, places: Places): Finding[] {
  const found: (Finding | undefined)[] = [];
  const end = (): Finding[] => found.filter((finding) => finding !== undefined);
  if (isKnown(path)) {
    for (const folder of folders) found.push(places.refuse(resolve(folder, path), whole));
    if (isLost) for (const file of filesNamed(path, places)) found.push(places.refuse(resolve(places.root, file)));
    return end();
  }
  const begin = path.slice(0, path.search(/[\uE000-\uE005]/));
  if (begin.includes('/')) found.push(places.refuse(resolve(folders[0] ?? '/', `${begin}x`)));
  if (path.replace(/[^\w]/g, '').length < 3 && !/[\uE001\uE002]/.test(path)) return end();
  const pattern = patternOf(path);
  const { files, registry, hooks } = places.index;
  for (const file of ['ability.yaml', '.system', registry, hooks, ...files]) {
    const absolute = resolve(places.root, file);
    const ways = folders.map((folder) =>
      absolute.startsWith(`${folder}/`) ? absolute.slice(folder.length + 1) : file,
    );
    const fits = [absolute, ...ways, ...ways.map((way) => `./${way}`)].some((way) => pattern.test(way));
    if (fits) found.push(places.refuse(absolute, true));
  }
  return end();
}

/** The places that a text mentions: code that names a protected place may write to it. */
export function placesIn(text: string, { index }: Places): string[] {
  const kept = ['ability.yaml', '.system', index.registry, index.hooks];
  const paths = [...text.matchAll(/[\w./~-]*[\w~-]/g)].map(([path]) => path);
  return paths.filter((path) => kept.some((place) => path.includes(place)));
}

function filesNamed(path: string, { index }: Places): string[] {
  const end = path.replace(/^(\.\/)+/, '');
  return ['ability.yaml', ...index.files].filter((file) => file === end || file.endsWith(`/${end}`));
}
