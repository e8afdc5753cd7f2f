import type { Effect } from '../../contracts/effects.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { RecordedCall, RecordedValue } from '../../contracts/record.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import { wordsToRun } from '../../planning/scripts/interpreter.js';
import { DOCUMENT_NAME } from '../routing-documents/find-documents.js';
import { planScripts } from '../scaffold/plan-scripts.js';
import { configureAbility, needsApprovalFirst, renderCases, type Scaffold, type Site } from '../scaffold/scaffold.js';
import { readText } from '../scaffold/script-text.js';
import { FileDraft, type PlannedFile } from '../write-together.js';
import { type FoundScript, findScripts, isAdHoc, moduleFolder } from './find-scripts.js';

export interface Promoted {
  /** Relative to the project root, with forward slashes. */
  path: string;
  full: string;
  /** Prefix of the operation key; default: the name of the module. */
  prefix?: string;
  effects?: Effect;
}

/** A promotion, and the routing document that has to list the ability. */
export interface Promotion extends Scaffold {
  /** Relative to the project root. */
  page: string;
}

/**
 * Plans a script of `workdocs` as a low-level ability: its contract, and a configuration entry that says to prefer
 * it; the script stays in place. Source: R-000-91. @throws AbilityError `harvest.no_script`, `harvest.promoted`,
 * `harvest.no_interpreter`, and those of a scaffold of scripts.
 */
export function planPromotion(site: Site, { path, full, prefix, effects }: Promoted): Promotion {
  const { registry } = site;
  const script = scriptAt(site, path);
  refuseUnstarted(path, full);
  const module = moduleFolder(path).replace(/^modules\//, '');
  const planned = planScripts(site, {
    paths: [full],
    // People name a module after its last folder.
    prefix: prefix ?? (module.split('/').at(-1) || 'work'),
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

/** Refuses scripts without a known interpreter; TypeScript has none before Node 22.18. */
function refuseUnstarted(path: string, full: string): void {
  const isTyped = /\.[cm]?ts$/i.test(path);
  try {
    wordsToRun({ real: path, start: readText(full, path).start }, path);
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code !== 'script.not_executable') throw error;
    throw new AbilityError({
      code: 'harvest.no_interpreter',
      message: `${error.message}; nothing was written`,
      suggestion: isTyped
        ? 'Translate it into .mjs, or begin it with a line such as `#!/usr/bin/env tsx`, where the worker has that program.'
        : 'Begin it with `#!` and the program that runs it.',
    });
  }
}

function notesOn({ documented, same_as }: FoundScript): string[] {
  return [
    ...(documented ? [] : ['No `modular_mannual.md` describes it: state there what it solves, and name the ability.']),
    ...(same_as.length > 0 ? [`The same text is in ${same_as.join(', ')}.`] : []),
  ];
}

export interface CallExample {
  input: JsonObject;
  output: Json;
  from: string;
}

/** Of the call that ran the script, else of the task. @param value `record.json` or `{ input, output }`. */
export function exampleIn(value: unknown, path: string, from: string): CallExample | undefined {
  if (!isJsonObject(value)) return undefined;
  const calls = Array.isArray(value.calls) ? (value.calls as unknown as RecordedCall[]) : [];
  const call = calls.find(({ runs }) => runs?.kind === 'script' && runs.script === path);
  const input = call ? whole(call.given) : value.input;
  const output = call ? whole(call.gave) : isJsonObject(value.result) ? value.result.output : value.output;
  return isJsonObject(input) && output !== undefined ? { input, output, from } : undefined;
}

/** The value, unless it was cut: a cut value is no example. */
function whole(value: RecordedValue | undefined): Json | undefined {
  return value !== undefined && 'value' in value ? value.value : undefined;
}

export function isExampleOf(
  { fits }: Pick<Site, 'fits'>,
  operation: LowLevel,
  { input, output }: CallExample,
): boolean {
  return fits(operation.input_schema, input) && fits(operation.output_schema ?? {}, output);
}

/** Renders the example as a test case that makes no real call. Source: R-000-91. */
export function caseOf(site: Site, operation: LowLevel, stem: string, example: CallExample): PlannedFile {
  const path = `${stem}.test.yaml`;
  const content = renderCases(site, {
    ability: operation.operation_key,
    path,
    name: `as it was called: ${example.from}`,
    input: example.input,
    mocks: { run: { output: example.output } },
    approvals: needsApprovalFirst(site, operation.effects) ? ['run'] : [],
    expect: { output: example.output },
  });
  return { path, content };
}
