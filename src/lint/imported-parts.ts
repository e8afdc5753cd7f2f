import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../contracts/findings.js';
import { isJsonObject } from '../contracts/json.js';
import { importedDefinitions } from '../definitions/read-imports.js';
import type { YamlSource } from '../definitions/yaml-source.js';
import type { LintedProject } from './linted-project.js';

/** Codes of findings about schemas and texts, which an import copies from the document unchanged. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set([
  'lint.schema_default',
  'lint.schema_impossible',
  'lint.schema_keyword',
  'lint.schema_keyword_idle',
  'lint.schema_required_unknown',
  'lint.text_not_evaluated',
]);

const TAKEN_OVER = ['summary', 'input_schema', 'output_schema'] as const;

/** Whether a finding is an error of an imported, unedited document, which users cannot correct. */
export function isOfDocument({ registry, sources }: LintedProject): (finding: Finding) => boolean {
  // Read only when needed: large imports leave large records.
  let places: ReadonlyMap<string, readonly Range[]> | undefined;
  return ({ code, location }) => {
    if (!OF_DOCUMENTS.has(code)) return false;
    places ??= placesOf(registry.root, sources);
    return (places.get(location.file) ?? []).some((range) => isWithin(range, location));
  };
}

type Place = Pick<Finding['location'], 'line' | 'column'>;

interface Range {
  from: Place;
  to: Place;
}

function placesOf(root: string, sources: readonly YamlSource[]): ReadonlyMap<string, readonly Range[]> {
  const imported = importedDefinitions(root);
  return new Map(
    sources.flatMap((source) => {
      const definition = imported.get(source.file);
      const { value } = source;
      if (!definition || !isJsonObject(value)) return [];
      const parts = TAKEN_OVER.filter((key) => key in value && isDeepStrictEqual(value[key], definition[key]));
      return [[source.file, parts.flatMap((key) => rangeOf(source, key))] as const];
    }),
  );
}

function rangeOf({ document, locateOffset }: YamlSource, key: string): Range[] {
  const range = (document.get(key, true) as { range?: readonly number[] | null } | undefined)?.range;
  const [start, , end] = range ?? [];
  if (start === undefined || end === undefined) return [];
  return [{ from: placeAt(start), to: placeAt(end) }];

  function placeAt(offset: number): Place {
    const { line = 1, column = 1 } = locateOffset(offset);
    return { line, column };
  }
}

function isWithin({ from, to }: Range, place: Place): boolean {
  return !isBefore(place, from) && !isBefore(to, place);
}

function isBefore(one: Place, other: Place): boolean {
  return one.line < other.line || (one.line === other.line && one.column < other.column);
}
