import { basename, relative, sep } from 'node:path';
import type { Effect } from '../../contracts/effects.js';
import { ABILITY_ID } from '../../contracts/names.js';
import { usageError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { FileDraft } from '../file-draft.js';
import { schemaLine } from '../schema-line.js';
import { readScript } from '../script-reading/read-script.js';
import { type Command, parametersOf, type Reading } from '../script-reading/reading.js';
import { summaryOf } from '../script-reading/summary-of.js';
import { flowYaml } from '../write-yaml.js';
import { checkEnvironments, checkNewAbility } from './check-names.js';
import { fileNameOf, type Scaffold, type Site } from './scaffold.js';
import { scriptContract } from './script-contract.js';
import { readText, type ScriptText } from './script-text.js';

export interface GivenScripts {
  /** Absolute paths. */
  paths: string[];
  /** Replaces the folders of each script in its operation key. */
  prefix?: string;
  effects?: Effect;
  /** The `args_template` of all scripts; absent: arguments are read from each script. */
  args?: string;
  scope: { modules?: string[]; environments?: string[] };
}

const REMARK = '   # the gravest, until its author has said what the script does';

/**
 * Skips scripts that an ability already runs, so that the command can be repeated.
 * @throws AbilityError `usage.invalid`, `scaffold.exists`, `environment.not_found`, `script.missing`.
 */
export function planScripts(site: Site, given: GivenScripts): Scaffold {
  const { registry, folders } = site;
  checkEnvironments(registry, given.scope.environments ?? []);
  const draft = new FileDraft(registry.root);
  const taken = scriptsUnderContract(registry);
  const made = new Map<string, string>();
  const left: string[] = [];
  const all: (FoundContract & { file: string })[] = [];
  for (const full of new Set(given.paths)) {
    const path = pathInProject(registry.root, full);
    const script = readText(full, path);
    const owner = taken.get(path);
    if (owner !== undefined) {
      left.push(`${path} (${owner})`);
      continue;
    }
    for (const found of contractsOf(path, script, given)) {
      const { key } = found;
      refuseTwice(key, path, made.get(key));
      refuseKey(key, path);
      checkNewAbility(registry, key);
      made.set(key, path);
      const file = `${folders.registry}/low-level/${fileNameOf(key)}.yaml`;
      draft.add(file, definitionOf(site, file, found, given));
      all.push({ ...found, file });
    }
  }
  const notes = [
    ...(left.length > 0 ? [leftOf(left)] : []),
    ...(all.length > 0 ? [protocolOf(given)] : []),
    ...all.flatMap(notesOf),
  ];
  return { files: draft.files(), abilities: [...made.keys()], notes, next: nextOf(all) };
}

interface FoundContract {
  key: string;
  path: string;
  summary: string;
  schema: string;
  lines: string[];
  todos: string[];
  remarks: string[];
  required: string[];
}

function contractsOf(path: string, { text, interpreter }: ScriptText, { prefix, args }: GivenScripts): FoundContract[] {
  const base = keyOf(path, prefix);
  const named = [
    `path: ${flowYaml(path)}`,
    ...(interpreter === undefined ? [] : [`interpreter: ${flowYaml(interpreter)}`]),
  ];
  if (args !== undefined) {
    const summary = summaryOf(text, basename(path)) ?? `Runs ${path}.`;
    const lines = [...named, `args_template: ${flowYaml(args)}`];
    return [
      {
        key: base,
        path,
        summary,
        schema: 'input_schema: { type: object }',
        lines,
        todos: [],
        remarks: [],
        required: [],
      },
    ];
  }
  const reading = readScript(path, text);
  const { todos, remarks } = reading;
  return reading.commands.map((command) => {
    const { schema, script } = scriptContract(command, reading);
    return {
      key: [base, ...command.words.map(keyWord)].join('.'),
      path,
      summary: summaryFor(command, reading) ?? `Runs ${[path, ...command.words].join(' ')}.`,
      schema,
      lines: [...named, ...script],
      todos,
      remarks,
      required: reading.keepsFiles
        ? []
        : parametersOf(command)
            .filter(({ isRequired }) => isRequired)
            .map(({ name }) => name),
    };
  });
}

function summaryFor({ summary, words }: Command, reading: Reading): string | undefined {
  return words.length > 0 ? summary : (reading.summary ?? summary);
}

function definitionOf({ folders }: Site, file: string, found: FoundContract, { effects, scope }: GivenScripts): string {
  const { key, summary, schema, lines, remarks } = found;
  return `${schemaLine({ kind: 'low-level', path: file, registry: folders.registry })}
operation_key: ${key}
version: 1
summary: ${flowYaml(summary)}
effects: ${effects ?? `destructive${REMARK}`}
${Object.keys(scope).length > 0 ? `scope: ${flowYaml(scope)}\n` : ''}${schema}
implementation:
  kind: script
  script:
${remarks.map((remark) => `    # It ${remark}.\n`).join('')}${[...lines, 'timeout_sec: 60'].map((line) => `    ${line}\n`).join('')}`;
}

/** Script path to an ability that runs it. */
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
  throw usageError(`${full} is not in the project ${root}`, 'Scripts of a project are in its folder: put it there.');
}

/** `ops/db/dump.sh` is `ops.db.dump`, or with a prefix `PREFIX.dump`; a leading `scripts/` is dropped. */
function keyOf(path: string, prefix: string | undefined): string {
  const ways = path.replace(/\.[^./]+$/, '').split('/');
  const [first, ...rest] = ways;
  const named = first === 'scripts' && rest.length > 0 ? rest : ways;
  const words = prefix === undefined ? named : [prefix, named.at(-1) ?? ''];
  return words.map(keyWord).join('.');
}

function keyWord(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, '_');
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
      ? 'The input of each was derived from its text, and nothing was run: check it.'
      : `Each is given ${args.trim() === '' ? 'no arguments' : `\`${args}\``}${args.includes('{output_file}') ? '' : ', and what it prints is its output, as text'}.`;
  const more = args === undefined ? '' : ', and in `input_schema` what it accepts';
  return effects === undefined ? `${how} State in \`effects\` what each changes${more}.` : how;
}

function notesOf({ key, file, todos }: FoundContract & { file: string }): string[] {
  if (todos.length === 0) return [];
  const more = todos.length > 2 ? `; and ${todos.length - 2} more` : '';
  return [`${key} is refused until its \`todo\` in ${file} is done: ${todos.slice(0, 2).join('; ')}${more}.`];
}

function nextOf(all: readonly FoundContract[]): Scaffold['next'] {
  const first = all.find(({ todos }) => todos.length === 0) ?? all[0];
  if (!first) return [];
  const { key, required, todos } = first;
  const set = required.map((name) => ` --set ${name}=..`).join('');
  if (todos.length > 0) return [{ command: 'ability lint', purpose: 'see what is left to decide' }];
  return [
    { command: `ability run ${key}${set}`, purpose: 'run it' },
    { command: `ability plan ${key}${set}`, purpose: 'see how it would be run' },
    { command: 'ability list', purpose: 'see what there is now' },
  ];
}
