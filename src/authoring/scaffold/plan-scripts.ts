import { relative, sep } from 'node:path';
import type { Effect } from '../../contracts/effects.js';
import { ABILITY_ID } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { FileDraft } from '../file-draft.js';
import { flowYaml } from '../flow-yaml.js';
import { schemaLine } from '../schema-line.js';
import { checkEnvironments, checkNewAbility } from './check-names.js';
import { fileNameOf, type Scaffold, type Site } from './scaffold.js';
import { readHead, summaryOf } from './script-head.js';

/** Scripts that are there, and what holds for all of them. */
export interface GivenScripts {
  /** Absolute paths. */
  paths: string[];
  /** What operation keys begin with, instead of the folders of each script. */
  prefix?: string;
  effects?: Effect;
  /** The template of their arguments, where it is not the usual one. */
  args?: string;
  scope: { modules?: string[]; environments?: string[] };
}

const REMARK = '   # the gravest, until a person has looked at what the script does';

/**
 * Plans a low-level ability for each script that no ability runs yet, so that the same command can be given again.
 *
 * @throws AbilityError `usage.invalid`, `scaffold.exists`, `environment.not_found`, `script.missing`.
 */
export function planScripts(site: Site, given: GivenScripts): Scaffold {
  const { registry, folders } = site;
  checkEnvironments(registry, given.scope.environments ?? []);
  const draft = new FileDraft(registry.root);
  const taken = scriptsUnderContract(registry);
  const made = new Map<string, string>();
  const left: string[] = [];
  for (const full of new Set(given.paths)) {
    const path = pathInProject(registry.root, full);
    const text = readHead(full, path);
    const owner = taken.get(path);
    if (owner !== undefined) {
      left.push(`${path} (${owner})`);
      continue;
    }
    const key = keyOf(path, given.prefix);
    refuseTwice(key, path, made.get(key));
    refuseKey(key, path);
    checkNewAbility(registry, key);
    made.set(key, path);
    const file = `${folders.registry}/low-level/${fileNameOf(key)}.yaml`;
    draft.add(file, definitionOf(site, file, { key, path, summary: summaryOf(text) ?? `Runs ${path}.` }, given));
  }
  const notes = [...(left.length > 0 ? [leftOf(left)] : []), ...(made.size > 0 ? [protocolOf(given)] : [])];
  return { files: draft.files(), abilities: [...made.keys()], notes, next: nextOf([...made.keys()]) };
}

function definitionOf(
  { folders }: Site,
  file: string,
  { key, path, summary }: { key: string; path: string; summary: string },
  { effects, args, scope }: GivenScripts,
): string {
  const template = args === undefined ? '' : ` args_template: ${flowYaml(args)},`;
  return `${schemaLine({ kind: 'low-level', path: file, registry: folders.registry })}
operation_key: ${key}
version: 1
summary: ${flowYaml(summary)}
effects: ${effects ?? `destructive${REMARK}`}
${Object.keys(scope).length > 0 ? `scope: ${flowYaml(scope)}\n` : ''}input_schema: { type: object }
implementation:
  kind: script
  script: { path: ${flowYaml(path)},${template} timeout_sec: 60 }
`;
}

/** Scripts that abilities run, with one that does. */
function scriptsUnderContract({ operations, implementations, configs }: Registry): Map<string, string> {
  const owners = new Map<string, string>();
  for (const [key, { value }] of operations) note(owners, value.implementation, key);
  for (const { value } of implementations.values()) note(owners, value, value.operation_key);
  for (const [key, { value }] of configs) note(owners, value.impl, key);
  return owners;
}

function note(
  owners: Map<string, string>,
  implementation: { kind: string; script?: { path: string } } | undefined,
  key: string,
): void {
  if (implementation?.script) owners.set(implementation.script.path.replace(/^(\.\/)+/, ''), key);
}

function pathInProject(root: string, full: string): string {
  const path = relative(root, full).split(sep).join('/');
  if (path !== '' && !path.startsWith('../')) return path;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${full} is not in the project ${root}`,
    suggestion: 'Scripts of a project are in its folder: put it there.',
  });
}

/** `ops/db/dump.sh` is `ops.db.dump`; with a prefix, `PREFIX.dump`. A folder `scripts` at the top says nothing. */
function keyOf(path: string, prefix: string | undefined): string {
  const ways = path.replace(/\.[^./]+$/, '').split('/');
  const [first, ...rest] = ways;
  const named = first === 'scripts' && rest.length > 0 ? rest : ways;
  const words = prefix === undefined ? named : [prefix, named.at(-1) ?? ''];
  return words.map((word) => word.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, '_')).join('.');
}

function refuseKey(key: string, path: string): void {
  if (ABILITY_ID.test(key)) return;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${path} would be ${JSON.stringify(key)}, which cannot be the id of an ability; nothing was written`,
    suggestion: 'An id begins with a small letter and has at most 100 characters: pass --prefix.',
  });
}

function refuseTwice(key: string, path: string, other: string | undefined): void {
  if (other === undefined) return;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${other} and ${path} would both be ${key}; nothing was written`,
    suggestion: 'Take them one after the other, with another --prefix.',
  });
}

/** Scripts told by name; of more the number is enough. */
const MOST_TOLD = 5;

function leftOf(left: readonly string[]): string {
  const more = left.length > MOST_TOLD ? `, and ${left.length - MOST_TOLD} more` : '';
  return `Abilities run these already: ${left.slice(0, MOST_TOLD).join(', ')}${more}.`;
}

function protocolOf({ args, effects }: GivenScripts): string {
  const how =
    args === undefined
      ? 'Each is given `--input FILE --output FILE`: it reads JSON from one and writes JSON to the other; where that is not so, pass --args or edit `script`.'
      : `Each is given ${args.trim() === '' ? 'no arguments' : `\`${args}\``}${args.includes('{output_file}') ? '' : ', and what it prints is its output, as text'}.`;
  return effects === undefined
    ? `${how} Say in \`effects\` what each changes, and in \`input_schema\` what it takes.`
    : how;
}

function nextOf([first]: string[]): Scaffold['next'] {
  if (first === undefined) return [];
  return [
    { command: 'ability list', purpose: 'see what there is now' },
    { command: `ability plan ${first}`, purpose: 'see how one of them would be run' },
  ];
}
