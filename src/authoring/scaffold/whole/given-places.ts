import type { SourceLocation } from '../../../contracts/problem.js';
import { readYaml, type YamlSource } from '../../../definitions/yaml-source.js';

/** Finds a place in what was given from one in what is written of it. */
export type GivenPlaces = (location: SourceLocation) => SourceLocation;

/** Of a file that was given whole. @param added how many lines stand above what was given. */
export function placesInFile(file: string, from: string, added: number): GivenPlaces {
  return (location) => {
    if (location.file !== file) return location;
    const { line } = location;
    return { ...location, file: from, ...(line !== undefined && { line: Math.max(1, line - added) }) };
  };
}

/**
 * Of items that were added at the end of a list: the item in which a place is.
 *
 * @param text the file with the items in it.
 * @param at the key of the list, and how many items it had before.
 */
export function placesInAppended(
  file: string,
  text: string,
  [key, earlier]: [string, number],
  source: YamlSource,
): GivenPlaces {
  const written = readYaml(file, text);
  return (location) => {
    const { line } = location;
    if (location.file !== file || line === undefined || 'code' in written) return location;
    const list = (written.value as Record<string, unknown[]>)[key] ?? [];
    const index = list.findLastIndex((_, item) => (written.locate([key, item]).line ?? 0) <= line);
    return index < earlier ? location : source.locate([key, index - earlier]);
  };
}
