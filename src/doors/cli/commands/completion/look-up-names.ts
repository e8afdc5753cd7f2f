import { readdirSync } from 'node:fs';
import { CODES } from '../../../../contracts/codes.js';
import { LINT_CODES } from '../../../../contracts/lint-codes.js';
import { loadedComposites } from '../../../../definitions/find-ability.js';
import type { Registry } from '../../../../definitions/registry.js';
import { findStated } from '../../../../planning/schedules/stated-schedules.js';
import { pathsOf } from '../../../../server/project-paths.js';
import { openTokens } from '../../input/read-token.js';
import { type Context, openRegistry } from '../../program/context.js';
import type { Candidate, NameKind } from './find-candidates.js';

/** More candidates would not help to complete a key. */
const MAX_TASKS = 50;

/** Project names of one kind, read from files only. */
export async function lookUpNames(kind: NameKind, context: Context): Promise<Candidate[]> {
  if (kind === 'code') return [...Object.keys(CODES), ...Object.keys(LINT_CODES)].map((value) => ({ value }));
  if (kind === 'task') return taskKeys(await rootOf(context));
  const registry = await openRegistry(context);
  if (kind === 'token') return tokenIds(registry);
  if (kind === 'schedule') return scheduleNames(registry);
  const { operations, project } = registry;
  if (kind === 'environment') return Object.keys(project.environments).map((value) => ({ value }));
  const abilities = [...loadedComposites(registry), ...operations];
  return abilities.map(([id, { value }]) => ({ value: id, description: value.summary }));
}

function tokenIds(registry: Registry): Candidate[] {
  const { tokens } = openTokens(registry).list();
  return tokens.map(({ id, person, agent }) => ({
    value: id,
    description: agent === undefined ? person : `${agent}, for ${person}`,
  }));
}

/** Only schedules in definitions: querying the server would take too long. */
function scheduleNames(registry: Registry): Candidate[] {
  return [...findStated(registry)].map(({ spec }) => ({
    value: spec.id,
    description: `${spec.cron}, ${spec.ability}`,
  }));
}

async function rootOf({ cwd, flags }: Context): Promise<string> {
  const { findProjectRoot } = await import('../../../../definitions/find-project.js');
  return findProjectRoot(cwd, flags.project);
}

/** Tasks with a local record, newest generated keys first: querying the server would take too long. */
function taskKeys(root: string): Candidate[] {
  const keys = readdirSync(pathsOf(root).records).filter((name) => /^[A-Za-z0-9]/.test(name));
  return keys
    .sort()
    .reverse()
    .slice(0, MAX_TASKS)
    .map((value) => ({ value }));
}
