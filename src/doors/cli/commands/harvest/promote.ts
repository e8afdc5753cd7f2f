import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import {
  type CallExample,
  caseOf,
  exampleIn,
  isExampleOf,
  type Promotion,
  planPromotion,
} from '../../../../authoring/harvest/plan-promotion.js';
import { followPromotion } from '../../../../authoring/scaffold/follow-documents.js';
import type { Site } from '../../../../authoring/scaffold/scaffold.js';
import type { PlannedFile } from '../../../../authoring/write-together.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { RECORD_FILES } from '../../../../contracts/record.js';
import type { ExitCode } from '../../../../contracts/states.js';
import type { Registry } from '../../../../definitions/registry.js';
import { recordFolder } from '../../../../operations/record-folder.js';
import { maskerFor } from '../../../../planning/secrets/credentials.js';
import { readRecords } from '../../../../server/logs/read-records.js';
import { pathsOf } from '../../../../server/project-paths.js';
import type { ChoosingFlags } from '../../program/choosing.js';
import type { Context } from '../../program/context.js';
import { finishScaffold } from '../scaffold/finish-scaffold.js';
import { unlessCancelled } from '../writing/write-plan.js';

/**
 * `ability harvest promote SCRIPT`: makes a script of `workdocs` an ability, with its configuration, its row in
 * the routing document of its scope, and a first case from a record; all or nothing. Source: R-000-91.
 */
export function run(context: Context, [file]: [string], flags: ChoosingFlags['promote']): Promise<ExitCode> {
  const { prefix, effects, dryRun = false } = flags;
  let planned: { site: Site; promotion: Promotion; example: Example | undefined } | undefined;
  return unlessCancelled(context, () =>
    finishScaffold(context, {
      isDryRun: dryRun,
      scopes: () => [],
      plan: (site) => {
        const { root } = site.registry;
        const full = resolve(context.cwd, file);
        const path = relative(root, full).split(sep).join('/');
        const promotion = planPromotion(site, { path, full, prefix, effects });
        planned = { site, promotion, example: exampleFor(context, site, path, flags.record) };
        return promotion;
      },
      follow: (before, after) => {
        if (!planned) throw new Error('What follows is asked for after the plan.');
        const { site, promotion, example } = planned;
        const followed = followPromotion(before, after, promotion);
        const shown = example ? caseFor(site, after, promotion, example) : { files: [], notes: [] };
        return { files: [...followed.files, ...shown.files], notes: [...followed.notes, ...shown.notes] };
      },
    }),
  );
}

interface Example extends CallExample {
  isGiven: boolean;
}

/** The named record, or the script's newest task. @throws AbilityError `harvest.example_invalid`. */
function exampleFor(
  context: Context,
  { registry, environment }: Site,
  path: string,
  named?: string,
): Example | undefined {
  const { records } = pathsOf(registry.root);
  const found = named === undefined ? knownExample(records, path) : namedExample(context, records, path, named);
  if (!found) return undefined;
  const masker = maskerFor(registry, environment, context.env);
  return { ...(masker.maskDeep(found) as CallExample), isGiven: named !== undefined };
}

function knownExample(folder: string, path: string): CallExample | undefined {
  const { records } = readRecords(folder);
  const newest = records
    .toReversed()
    .filter(({ calls }) => calls?.some(({ runs }) => runs.kind === 'script' && runs.script === path));
  return newest.map((record) => exampleIn(record, path, `task ${record.task_key}`)).find((one) => one !== undefined);
}

function namedExample({ cwd }: Context, records: string, path: string, named: string): CallExample {
  const file = resolve(cwd, named);
  const isFile = existsSync(file);
  const source = isFile ? file : join(recordFolder(records, named), RECORD_FILES.json);
  const example = exampleIn(jsonOf(source, named), path, isFile ? named : `task ${named}`);
  if (example) return example;
  throw invalid(`${named} does not say both what was given and what came back`);
}

function jsonOf(file: string, named: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw invalid(`${named} is neither a task that has a record here nor a file of JSON that can be read`, cause);
  }
}

function caseFor(
  site: Site,
  after: Registry,
  { abilities }: Promotion,
  { isGiven, ...example }: Example,
): { files: PlannedFile[]; notes: string[] } {
  for (const id of abilities) {
    const made = after.operations.get(id);
    if (!made || !isExampleOf(site, made.value, example)) continue;
    return { files: [caseOf(site, made.value, made.file.replace(/\.yaml$/, ''), example)], notes: [] };
  }
  const message = `The example of ${example.from} does not satisfy the schemas of ${abilities.join(', ')}`;
  if (isGiven) throw invalid(message);
  return { files: [], notes: [`${message}, so that there is no file of cases yet.`] };
}

function invalid(message: string, cause?: unknown): AbilityError {
  const suggestion =
    'Pass the key of a task, or a file such as { "input": { .. }, "output": .. }; or leave out --record.';
  const full = `${message}; nothing was written`;
  return new AbilityError({ code: 'harvest.example_invalid', message: full, suggestion }, { cause });
}
