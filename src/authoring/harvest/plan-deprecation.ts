import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { type Ability, abilityIds, loadedAbility } from '../../definitions/find-ability.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { attempt } from '../../text/attempt.js';
import { didYouMean } from '../../text/nearest.js';
import type { PlannedFile } from '../write-together.js';
import { setValue, type YamlText } from '../write-yaml.js';

/** Callers get a warning. Source: R-000-94. @throws AbilityError `ability.not_found`, `usage.invalid`. */
export function planDeprecation(registry: Registry, id: string, replacedBy: string | undefined): PlannedFile {
  const loaded = find(registry, id);
  if (replacedBy === id) throw usageError(`${id} cannot take its own place`);
  if (replacedBy !== undefined) refuseCircle(registry, id, replacedBy);
  const { file } = loaded.locate([]);
  const before = readFileSync(join(registry.root, file), 'utf8');
  const values = { status: 'deprecated', ...(replacedBy !== undefined && { replaced_by: replacedBy }) };
  const content = withLines(before, values) ?? withValues({ file, text: before }, values);
  return { path: file, content, before };
}

/** Refuses a replacement that is itself replaced, directly or not, by the deprecated ability. */
function refuseCircle(registry: Registry, id: string, replacedBy: string): void {
  const seen = new Set<string>();
  let at: string | undefined = replacedBy;
  while (at !== undefined && !seen.has(at)) {
    if (at === id) throw usageError(`${replacedBy} is itself replaced by ${id}`);
    seen.add(at);
    at = find(registry, at).value.replaced_by;
  }
}

/** Appends lines, leaving all other bytes; undefined if the file would then mean something else. */
function withLines(text: string, values: Record<string, string>): string | undefined {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = Object.entries(values).map(([name, value]) => `${name}: ${value}${newline}`);
  const content = `${text}${text.endsWith('\n') ? '' : newline}${lines.join('')}`;
  return attempt(() => {
    const before: unknown = parse(text);
    const is = isDeepStrictEqual(parse(content), { ...(before as object), ...values });
    return is ? content : undefined;
  });
}

function withValues({ file, text }: YamlText, values: Record<string, string>): string {
  return Object.entries(values).reduce((now, [name, value]) => setValue({ file, text: now }, [name], value), text);
}

function find(registry: Registry, id: string): Loaded<Ability> {
  const loaded = loadedAbility(registry, id);
  if (loaded) return loaded;
  const meant = didYouMean(id, abilityIds(registry));
  throw new AbilityError({
    code: 'ability.not_found',
    message: `There is no ability ${JSON.stringify(id)}`,
    ...(meant !== undefined && { suggestion: meant }),
  });
}
