import type { Effect } from '../../contracts/effects.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { RecordedCall, RecordedValue } from '../../contracts/record.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import { FileDraft } from '../file-draft.js';
import { DOCUMENT_NAME } from '../routing-documents/find-documents.js';
import { configureAbility } from '../scaffold/configure.js';
import { planScripts } from '../scaffold/plan-scripts.js';
import { renderCases } from '../scaffold/render-cases.js';
import { asksFirst, type Scaffold, type Site } from '../scaffold/scaffold.js';
import { isStarted, readText } from '../scaffold/script-text.js';
import type { PlannedFile } from '../write-together.js';
import { type FoundScript, findScripts, isAdHoc, moduleFolder } from './find-scripts.js';

/** A script that is to become an ability. */
export interface Promoted {
  /** From the root of the project, with forward slashes. */
  path: string;
  /** Its absolute path. */
  full: string;
  /** The prefix of operation keys, instead of the name of its module. */
  prefix?: string;
  effects?: Effect;
}

/** A promotion, and the routing document that has to name it. */
export interface Promotion extends Scaffold {
  /** From the root of the project. */
  page: string;
}

/**
 * Plans that a script of `workdocs` becomes a low-level ability: its contract, and an entry in the configuration that says to prefer it. The script
 * stays where it is. Source: R-000-91.
 *
 * @throws AbilityError `harvest.no_script`, `harvest.promoted`, `harvest.no_interpreter`, and those of a scaffold of scripts.
 */
export function planPromotion(site: Site, { path, full, prefix, effects }: Promoted): Promotion {
  const { registry } = site;
  const script = scriptAt(site, path);
  refuseUnstarted(path, full);
  const module = moduleFolder(path).replace(/^modules\//, '');
  const planned = planScripts(site, {
    paths: [full],
    prefix: prefix ?? prefixOf(module),
    scope: module === '' ? {} : { modules: [module] },
    ...(effects && { effects }),
  });
  const draft = new FileDraft(registry.root);
  const notes = `Prefer it to calling the ad-hoc script ${path}.`;
  for (const id of planned.abilities) configureAbility(draft, site, id, ['routing_hints', 'notes'], notes);
  const folder = moduleFolder(path);
  return {
    ...planned,
    files: [...planned.files, ...draft.files()],
    notes: [...planned.notes, ...notesOn(script)],
    page: folder === '' ? DOCUMENT_NAME : `${folder}/${DOCUMENT_NAME}`,
  };
}

function scriptAt({ registry }: Site, path: string): FoundScript {
  const { scripts } = findScripts(registry);
  const script = scripts.find((one) => one.path === path);
  if (!script?.is_text) {
    const why = script || isAdHoc(path) ? 'is no script that can be read as text' : 'is in no `workdocs/**/scripts`';
    throw new AbilityError({
      code: 'harvest.no_script',
      message: `${path} ${why}; nothing was written`,
      suggestion: 'See `ability harvest` for the scripts there are.',
    });
  }
  if (script.abilities.length === 0) return script;
  throw new AbilityError({
    code: 'harvest.promoted',
    message: `${script.abilities.join(', ')} ${script.abilities.length === 1 ? 'runs' : 'run'} ${path} already; nothing was written`,
    suggestion: `See it with ability show ${script.abilities[0]}.`,
  });
}

/** There is no program that runs TypeScript on each machine: Node itself does not, before 22.18. */
function refuseUnstarted(path: string, full: string): void {
  if (isStarted(path, readText(full, path))) return;
  const isTyped = /\.[cm]?ts$/i.test(path);
  throw new AbilityError({
    code: 'harvest.no_interpreter',
    message: `Nothing says what starts ${path}; nothing was written`,
    suggestion: isTyped
      ? 'Translate it into .mjs, or begin it with a line such as `#!/usr/bin/env tsx`, where the worker has that program.'
      : 'Begin it with `#!` and the program that runs it.',
  });
}

/** The last folder of its module, which is what people call it. */
function prefixOf(module: string): string {
  return module.split('/').at(-1) || 'work';
}

function notesOn({ documented, same_as }: FoundScript): string[] {
  return [
    ...(documented ? [] : ['No `modular_mannual.md` describes it: say there what it solves, and name the ability.']),
    ...(same_as.length > 0 ? [`The same text is in ${same_as.join(', ')}.`] : []),
  ];
}

/** The input and output of a call. */
export interface CallExample {
  input: JsonObject;
  output: Json;
  /** Its origin, for people. */
  from: string;
}

/**
 * The example in a record of a task: the call that ran the script, or else the task itself.
 *
 * @param value `record.json`, or an object with `input` and `output`. @param path of the script. @returns undefined where it holds none.
 */
export function exampleIn(value: unknown, path: string, from: string): CallExample | undefined {
  if (!isJsonObject(value)) return undefined;
  const calls = Array.isArray(value.calls) ? (value.calls as unknown as RecordedCall[]) : [];
  const call = calls.find(({ runs }) => runs?.kind === 'script' && runs.script === path);
  const output = isJsonObject(value.result) ? value.result.output : value.output;
  return exampleOf(call ? [whole(call.given), whole(call.gave)] : [value.input, output], from);
}

function exampleOf([input, output]: (Json | undefined)[], from: string): CallExample | undefined {
  if (!isJsonObject(input) || output === undefined) return undefined;
  return { input, output, from };
}

/** Values that were cut are no example. */
function whole(value: RecordedValue | undefined): Json | undefined {
  return value !== undefined && 'value' in value ? value.value : undefined;
}

/** Whether an operation takes and gives what an example says. */
export function isExampleOf(
  { fits }: Pick<Site, 'fits'>,
  operation: LowLevel,
  { input, output }: CallExample,
): boolean {
  return fits(operation.input_schema, input) && fits(operation.output_schema ?? {}, output);
}

/** The example as a case beside an operation, in which nothing is really called. Source: R-000-91. */
export function caseOf(site: Site, operation: LowLevel, stem: string, example: CallExample): PlannedFile {
  const path = `${stem}.test.yaml`;
  const content = renderCases(site, {
    ability: operation.operation_key,
    path,
    name: `as it was called: ${example.from}`,
    input: example.input,
    mocks: { run: { output: example.output } },
    approvals: asksFirst(site, operation.effects) ? ['run'] : [],
    expect: { output: example.output },
  });
  return { path, content };
}
