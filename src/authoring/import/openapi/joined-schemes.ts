import { isPart, listOf, memberOf, type Part, partOf } from './document-parts.js';
import { METHODS } from './effects-of.js';

/** Schemes that one requirement lists together; overlapping groups are merged. @param isOfKind which count. */
export function groupsWantedTogether(document: Part, isOfKind: (name: string) => boolean): ReadonlySet<string>[] {
  let groups: Set<string>[] = [];
  for (const names of requirementsOf(document)) {
    const set = names.filter(isOfKind);
    if (set.length < 2) continue;
    const touched = groups.filter((group) => set.some((name) => group.has(name)));
    const joined = new Set([...set, ...touched.flatMap((group) => [...group])]);
    groups = [...groups.filter((group) => !touched.includes(group)), joined];
  }
  return groups;
}

function requirementsOf(document: Part): string[][] {
  const operations = Object.values(partOf(memberOf(document, 'paths'))).flatMap((item) =>
    METHODS.map((method) => memberOf(item, method)),
  );
  const sets = [document, ...operations]
    .flatMap((part) => listOf(memberOf(part, 'security')).filter(isPart))
    .map((alternative) => Object.keys(alternative).sort());
  return [...new Map(sets.map((set) => [JSON.stringify(set), set])).values()];
}
