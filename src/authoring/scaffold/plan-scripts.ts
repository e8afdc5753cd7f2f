import { basename } from 'node:path';
import type { Effect } from '../../contracts/effects.js';
import { ABILITY_ID } from '../../contracts/names.js';
import { usageError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { slashedPath } from '../../disk/paths.js';
import { FileDraft, schemaLine } from '../write-together.js';
import { flowYaml } from '../write-yaml.js';
import { checkEnvironments, checkNewAbility, fileNameOf, type Scaffold, type Site } from './scaffold.js';
import { readText, type ScriptText, summaryOf } from './script-text.js';

export interface GivenScripts {
  /** Absolute paths. */
  paths: string[];
  /** Replaces the folders of each script in its operation key. */
  prefix?: string;
  effects?: Effect;
  /** The `args_template` of all scripts; absent: a call passes the arguments as a list. */
  args?: string;
  scope: { modules?: string[]; environments?: string[] };
}

const EFFECTS = `# The gravest. Lower it to what a call changes: write_additive, write_idempotent, external_read or read.
effects: destructive`;

/** The input of a draft, which takes any arguments, and how to name them. */
const INPUT = `# A draft: a call passes the arguments of the script in \`args\`. Name them instead, for example
# for a script that is called as \`SCRIPT --level 3 FILE\`:
#   required: [file]
#   properties:
#     level: { type: integer, minimum: 1, description: How much it writes. }
#     file: { type: string }
input_schema:
  type: object
  additionalProperties: false
  properties:
    args: { type: array, items: { type: string }, description: "The arguments of the script, passed as they are." }
`;

const ARGS = `    # The same example; "--" is for scripts that know it as the end of the options:
    #   - { if: has(input.level), then: [--level, "\${{ input.level }}"] }
    #   - "--"
    #   - "\${{ input.file }}"
    args:
      - { each: input.args, as: arg, then: [{ value: "\${{ arg }}", option: allowed }] }
    output: text
`;

/**
 * A contract for each script, which passes its arguments on as they are. Skips scripts that an ability already
 * runs, so that the command can be repeated.
 * @throws AbilityError `usage.invalid`, `scaffold.exists`, `environment.not_found`, `script.missing`.
 */
export function planScripts(site: Site, given: GivenScripts): Scaffold {
  const { registry, folders } = site;
  checkEnvironments(registry, given.scope.environments ?? []);
  const draft = new FileDraft(registry.root);
  const taken = abilitiesByScript(registry);
  const made = new Map<string, string>();
  const left: string[] = [];
  for (const full of new Set(given.paths)) {
    const path = pathInProject(registry.root, full);
    const script = readText(full, path);
    const owner = taken.get(path)?.at(-1);
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
    draft.add(file, definitionOf(site, file, { ...script, key, path }, given));
  }
  const abilities = [...made.keys()];
  const notes = [...(left.length > 0 ? [leftOf(left)] : []), ...(abilities.length > 0 ? [protocolOf(given)] : [])];
  return { files: draft.files(), abilities, notes, next: nextOf(abilities, given) };
}

interface FoundScript extends ScriptText {
  key: string;
  /** Relative to the project root. */
  path: string;
}

function definitionOf(
  { folders }: Site,
  file: string,
  { key, path, text }: FoundScript,
  { effects, args, scope }: GivenScripts,
): string {
  return `${schemaLine({ kind: 'low-level', path: file, registry: folders.registry })}
operation_key: ${key}
version: 1
summary: ${flowYaml(summaryOf(text, basename(path)) ?? `Runs ${path}.`)}
${effects === undefined ? EFFECTS : `effects: ${effects}`}
${Object.keys(scope).length > 0 ? `scope: ${flowYaml(scope)}\n` : ''}${args === undefined ? INPUT : 'input_schema: { type: object }\n'}implementation:
  kind: script
  script:
    path: ${flowYaml(path)}
${args === undefined ? ARGS : `    args_template: ${flowYaml(args)}\n`}    timeout_sec: 60
`;
}

/** The abilities that run each script, by its path in the project. */
export function abilitiesByScript({ operations, implementations, configs }: Registry): Map<string, string[]> {
  const bodies = [
    ...[...operations].map(([key, { value }]) => [key, value.implementation] as const),
    ...[...implementations.values()].map(({ value }) => [value.operation_key, value] as const),
    ...[...configs].map(([key, { value }]) => [key, value.impl] as const),
  ];
  const found = new Map<string, string[]>();
  for (const [key, body] of bodies) {
    if (body?.kind !== 'script') continue;
    const path = body.script.path.replace(/^(\.\/)+/, '');
    found.set(path, [...new Set([...(found.get(path) ?? []), key])]);
  }
  return found;
}

function pathInProject(root: string, full: string): string {
  const path = slashedPath(root, full);
  if (path !== '' && !path.startsWith('../')) return path;
  throw usageError(`${full} is not in the project ${root}`, 'Scripts of a project are in its folder: put it there.');
}

/** `ops/db/dump.sh` is `ops.db.dump`, or with a prefix `PREFIX.dump`; a leading `scripts/` is dropped. */
function keyOf(path: string, prefix: string | undefined): string {
  const ways = path.replace(/\.[^./]+$/, '').split('/');
  const [first, ...rest] = ways;
  const named = first === 'scripts' && rest.length > 0 ? rest : ways;
  const words = prefix === undefined ? named : [prefix, named.at(-1) ?? ''];
  return words.map((word) => word.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, '_')).join('.');
}

function refuseKey(key: string, path: string): void {
  if (ABILITY_ID.test(key)) return;
  throw usageError(
    `${path} would be ${JSON.stringify(key)}, which cannot be the id of an ability; nothing was written`,
    'An id begins with a small letter and has at most 100 characters: pass --prefix.',
  );
}

function refuseTwice(key: string, path: string, other: string | undefined): void {
  if (other === undefined) return;
  throw usageError(
    `${other} and ${path} would both be ${key}; nothing was written`,
    'Scaffold them one after the other, each with another --prefix.',
  );
}

const MAX_NAMED = 5;

function leftOf(left: readonly string[]): string {
  const more = left.length > MAX_NAMED ? `, and ${left.length - MAX_NAMED} more` : '';
  return `Abilities run these already: ${left.slice(0, MAX_NAMED).join(', ')}${more}.`;
}

function protocolOf({ args, effects }: GivenScripts): string {
  const how =
    args === undefined
      ? 'Each passes `args`, a list of texts, to its script as it is: name the inputs, as the comments in the files show.'
      : `Each is given ${args.trim() === '' ? 'no arguments' : `\`${args}\``}${args.includes('{output_file}') ? '' : ', and what it prints is its output, as text'}.`;
  const more = args === undefined ? '' : ', and in `input_schema` what it accepts';
  return effects === undefined ? `${how} State in \`effects\` what each changes${more}.` : how;
}

function nextOf([key]: readonly string[], { args }: GivenScripts): Scaffold['next'] {
  if (key === undefined) return [];
  const set = args === undefined ? ` --set 'args=["FIRST", "SECOND"]'` : '';
  return [
    { command: `ability plan ${key}${set}`, purpose: 'see how it would be run' },
    { command: `ability run ${key}`, purpose: set === '' ? 'run it' : 'run it, here without arguments' },
    { command: 'ability lint', purpose: 'check what you changed' },
  ];
}
