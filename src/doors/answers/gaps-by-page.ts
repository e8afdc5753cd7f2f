import { posix } from 'node:path';
import { findDocuments } from '../../authoring/routing-documents/find-documents.js';
import { type GapGroup, groupGaps } from '../../choosing/harvest/group-gaps.js';
import type { Gap } from '../../contracts/gaps.js';
import { GapLog } from '../../server/logs/gap-log.js';
import { pathsOf } from '../../server/project-paths.js';

/** By nearest routing document upwards, else the first. Source: R-000-93. @throws file system errors. */
export function gapsByPage(root: string): Map<string, GapGroup[]> {
  const pages = findDocuments(root);
  const byPage = new Map<string, Gap[]>();
  for (const gap of new GapLog(pathsOf(root).system).read()) {
    const page = pageOf(gap.scope ?? '', pages);
    if (page !== undefined) byPage.set(page, [...(byPage.get(page) ?? []), gap]);
  }
  return new Map([...byPage].map(([page, gaps]) => [page, groupGaps(gaps)]));
}

function pageOf(scope: string, pages: readonly string[]): string | undefined {
  const above = pages.filter((page) => {
    const folder = posix.dirname(page);
    return folder === '.' || scope === folder || scope.startsWith(`${folder}/`);
  });
  return above.toSorted((one, other) => other.length - one.length)[0] ?? pages[0];
}
