import { basename } from 'node:path';
import { type FoundScript, findScripts } from '../authoring/harvest/find-scripts.js';
import { type AbilityPool, poolOf } from '../choosing/ability-pool.js';
import { FITS } from '../choosing/ranker.js';
import { wordTexts } from '../choosing/words.js';
import type { Registry } from '../definitions/registry.js';
import { maskerFor } from '../planning/secrets/credentials.js';
import { GapLog } from '../server/logs/gap-log.js';
import { HarvestFile, type HarvestRuns, type SeenEntry } from '../server/logs/harvest-file.js';
import { type ReadRecords, readRecords } from '../server/logs/read-records.js';
import { UsageLog } from '../server/logs/usage-log.js';
import { pathsOf } from '../server/project-paths.js';
import { commandOf } from '../shown/typed-command.js';
import { runsOf } from './calls-seen.js';
import { type FoundFlow, flowsIn } from './find-proposals.js';
import { type GapGroup, groupGaps } from './group-gaps.js';

export interface HarvestedScript extends FoundScript {
  /** Ids with a score from 0.5 to 1, best first; at most three. */
  near: { id: string; score: number }[];
  /** How often it ran; null: unknown. */
  runs: HarvestRuns | null;
  /** The suggested command; null: none. */
  next: string | null;
}

/** The answer of `ability harvest`. Source: R-000-90 to R-000-94. */
export interface Harvest {
  gaps: GapGroup[];
  scripts: HarvestedScript[];
  flows: FoundFlow[];
  warnings: string[];
}

const MAX_NEAR = 3;
const MAX_UNREAD = 5;

/** Finds gaps, scripts worth an ability, and calls worth a workflow. Writes only `.system/harvest.jsonl`. */
export async function harvest(registry: Registry, environment: string, env: NodeJS.ProcessEnv): Promise<Harvest> {
  const { system, records: folder } = pathsOf(registry.root);
  const masker = maskerFor(registry, environment, env);
  const warnings: string[] = [];
  const gaps = trying(warnings, 'Requests that no ability could meet could not be read', [], () =>
    groupGaps(new GapLog(system).read()),
  );
  const usage = trying(warnings, 'How often abilities are called could not be read', [], () =>
    new UsageLog(system).read(),
  );
  const found = findScripts(registry);
  const read = readRecords(folder);
  warnings.push(...unreadOf(found.unread, 'folders', 'scripts'), ...unreadOf(read.unread, 'records', 'calls'));
  const pool = poolOf(registry, environment, null, env);
  const scripts = await Promise.all(
    found.scripts.map(async (script): Promise<HarvestedScript> => {
      const near = await nearTo(pool, script);
      const summary = script.summary === null ? null : masker.mask(script.summary);
      return { ...script, summary, near, runs: runsOf(script, read, usage), next: nextFor(script, near.length > 0) };
    }),
  );
  const flows = masker.maskDeep(flowsIn(registry, read.records)) as FoundFlow[];
  trying(warnings, 'The scripts and flows that were found could not be stored', [], () =>
    new HarvestFile(system).keep([...scripts.map(entryOfScript), ...flows.map((flow) => entryOfFlow(flow, read))]),
  );
  return { gaps, scripts, flows, warnings };
}

/** Turns a failure into a warning, so that the rest is still reported. */
function trying<Value>(warnings: string[], what: string, otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    warnings.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    return otherwise;
  }
}

function unreadOf(paths: readonly string[], kind: string, what: string): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_UNREAD ? ` and ${paths.length - MAX_UNREAD} more` : '';
  return [
    `These ${kind} could not be read, so that ${what} may be missing: ${paths.slice(0, MAX_UNREAD).join(', ')}${more}`,
  ];
}

async function nearTo(pool: AbilityPool, script: FoundScript): Promise<HarvestedScript['near']> {
  const name = basename(script.path).replace(/\.\w+$/, '');
  const text = [wordTexts(name).join(' '), script.summary ?? ''].join(' ');
  const { ranked } = await pool.ranker.rank({ text, limit: MAX_NEAR });
  return ranked
    .filter(({ id, score }) => score >= FITS && !script.abilities.includes(id))
    .map(({ id, score }) => ({ id, score: Math.round(score * 1000) / 1000 }));
}

function nextFor({ path, abilities, is_text }: FoundScript, isNear: boolean): string | null {
  if (abilities.length > 0 || !is_text) return null;
  const command = commandOf('ability', 'harvest', 'promote', path);
  return isNear ? `Compare it with similar abilities; if it does something else: ${command}` : command;
}

function entryOfScript({ path, summary, documented, runs, uses, near, abilities }: HarvestedScript): SeenEntry {
  return {
    kind: 'script',
    location: path,
    problem: summary,
    documented: documented && `${documented.path}:${documented.line}`,
    runs,
    abilities_used: uses.length > 0 ? uses : null,
    done_by: uses.length > 0 ? 'both' : 'new_code',
    near: near.map(({ id }) => id),
    became: abilities,
  };
}

function entryOfFlow({ calls, intents, times, became }: FoundFlow, { left_out, unread }: ReadRecords): SeenEntry {
  return {
    kind: 'flow',
    location: calls.join(' > '),
    problem: intents.at(-1) ?? null,
    documented: null,
    runs: { times, at_least: left_out + unread.length > 0, last: null, from: 'records' },
    abilities_used: calls,
    done_by: 'abilities',
    near: [],
    became,
  };
}
