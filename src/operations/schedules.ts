import { z } from 'zod';
import * as client from '../client/index.js';
import type { JsonObject } from '../contracts/json.js';
import { usageError } from '../contracts/problem.js';
import { OVERLAPS, type ScheduleSpec } from '../contracts/schedules.js';
import { findAbility } from '../definitions/find-ability.js';
import { previewPlan } from '../planning/preview/preview-plan.js';
import { compareSchedules, statedSchedules } from '../planning/schedules/stated-schedules.js';
import { isDuration, parseDuration } from '../rules/duration.js';
import { EVERYWHERE } from '../rules/rights.js';
import { schedule, start } from './concerns.js';
import * as fields from './fields.js';
import { answer, environmentOf, operation } from './operation.js';

const name = z.string().min(1).max(100).describe('Its name.');
const comment = z.string().max(1000).optional().describe('Why; shown with the schedule.');
const duration = z.string().refine(isDuration, 'It is no duration, such as 5m');
const moment = z.iso.datetime({ offset: true });
const seen = z.looseObject({ spec: z.looseObject({ id: z.string() }), paused: z.boolean(), next: z.array(z.string()) });
const shown = seen.extend({ firings: z.array(z.looseObject({})) });
const done = z.strictObject({ schedule: z.string(), status: z.string() });

export const listSchedules = operation({
  summary: 'The schedules of the project, and where they differ from the definitions.',
  right: 'read',
  at: 'GET /v1/schedules',
  input: z.strictObject({}),
  answers: answer(
    'By name; `missing`: those that a definition states and that do not exist.',
    z.strictObject({
      schedules: z.array(seen.extend({ drift: z.string().nullable() })),
      missing: z.array(z.string()),
    }),
  ),
  run(project) {
    const stated = statedSchedules(project.registry());
    return project.ask(async (connection) => {
      const names = stated.map(({ spec }) => spec.id);
      const schedules = await client.findSchedules(connection, names);
      const drifts = new Map(compareSchedules(stated, schedules).map(({ id, drift }) => [id, drift]));
      return {
        schedules: schedules.map((one) => ({ ...one, drift: drifts.get(one.spec.id) ?? null })),
        missing: [...drifts].filter(([, drift]) => drift === 'missing').map(([id]) => id),
      };
    });
  },
  concerns: {
    each({ schedules, missing }, may, { project }) {
      const stated = new Map(statedSchedules(project.registry()).map(({ spec }) => [spec.id, spec]));
      return {
        schedules: schedules.filter(({ spec }) => may(spec)),
        missing: missing.filter((id) => may(stated.get(id) ?? EVERYWHERE)),
      };
    },
  },
});

export const createSchedule = operation({
  summary: 'Run an ability by the clock, each time as a task; the same schedule again changes nothing.',
  right: 'run',
  concerns: start,
  at: 'POST /v1/schedules',
  input: z.strictObject({
    ability: fields.id,
    name: name.optional().describe('Default: the id of the ability.'),
    input: fields.input.optional(),
    environment: fields.environment.optional(),
    cron: z
      .string()
      .min(1)
      .max(200)
      .describe('Minute, hour, day of month, month, day of week; or `@daily` and the like.'),
    timezone: z.string().max(100).default('UTC').describe('The zone of `cron`, such as Europe/Berlin.'),
    overlap: z.enum(OVERLAPS).default('skip').describe('A firing while the task of an earlier one is open.'),
    jitter: duration.default('0s').describe('Put each firing off by up to so much.'),
    catch_up: duration.default('1h').describe('Make up for a firing that was missed within so much.'),
    approve_before: duration.optional().describe('Ask for the approvals that are known so much before each firing.'),
    intent: z.string().trim().min(1).max(1000).optional(),
  }),
  answers: answer('It exists.', shown.extend({ created: z.boolean(), warnings: z.array(z.string()) })),
  async run(project, { person }, wanted) {
    const { ability, cron, timezone, overlap, jitter, catch_up, approve_before, intent } = wanted;
    const registry = project.registry();
    await findAbility(registry, ability);
    const environment = environmentOf(project, registry, wanted.environment);
    const spec: ScheduleSpec = {
      ...{ id: wanted.name ?? ability, ability, environment, input: (wanted.input ?? {}) as JsonObject },
      ...{ cron, timezone, overlap, jitter_ms: parseDuration(jitter), catch_up_ms: parseDuration(catch_up) },
      ...(approve_before !== undefined && { approve_before_ms: parseDuration(approve_before) }),
      ...(intent !== undefined && { intent: intent.replaceAll(/\s+/g, ' ') }),
    };
    client.checkSpec(spec);
    // Checks neither credentials, which only the worker may have, nor guards, which decide at run time.
    const user = { ...person, name: `schedule:${spec.id}`, caller: 'ci' as const };
    const { warnings } = previewPlan(registry, { ability, environment, input: spec.input, user, env: project.env });
    return project.ask(async (connection) => {
      const { created } = await client.createSchedule(connection, spec);
      await client.untilListed(connection, spec.id);
      return { created, warnings, ...(await client.showSchedule(connection, spec.id)) };
    });
  },
});

export const showSchedule = operation({
  summary: 'A schedule with its past and next firings.',
  right: 'read',
  concerns: schedule,
  at: 'GET /v1/schedules/{name}',
  input: z.strictObject({ name }),
  answers: answer('As Temporal has it.', shown),
  run: (project, _, { name: of }) => project.ask((connection) => client.showSchedule(connection, of)),
});

export const pauseSchedule = holding('paused', 'pause', client.pauseSchedule);

export const resumeSchedule = holding('resumed', 'resume', client.resumeSchedule);

export const fireSchedule = operation({
  summary: 'Fire a schedule now, or make up for all firings of a span of time.',
  right: 'run',
  concerns: schedule,
  at: 'POST /v1/schedules/{name}/run',
  input: z.strictObject({ name, from: moment.optional(), to: moment.optional().describe('With `from`.') }),
  answers: answer('It fires.', done, 202),
  async run(project, _, { name: of, from, to }) {
    const isSpan = from !== undefined && to !== undefined;
    if (from !== undefined || to !== undefined) {
      if (!isSpan || Date.parse(from) >= Date.parse(to))
        throw usageError(`${from} to ${to} is no span of time`, 'Pass both, the earlier first.');
    }
    return project.ask(async (connection) => {
      // Refuses a schedule that does not start tasks.
      await client.showSchedule(connection, of);
      if (isSpan) await client.backfillSchedule(connection, of, new Date(from), new Date(to));
      else await client.fireSchedule(connection, of);
      return { schedule: of, status: isSpan ? 'backfilling' : 'fired' };
    });
  },
});

export const deleteSchedule = operation({
  summary: 'Delete a schedule; tasks that it started go on.',
  right: 'run',
  concerns: schedule,
  at: 'DELETE /v1/schedules/{name}',
  input: z.strictObject({ name }),
  answers: answer('It is deleted.', done),
  run: (project, _, { name: of }) =>
    project.ask(async (connection) => {
      await client.deleteSchedule(connection, of);
      return { schedule: of, status: 'deleted' };
    }),
});

/** The schedule then shows who paused or resumed it, and why. */
function holding(status: 'paused' | 'resumed', verb: 'pause' | 'resume', hold: typeof client.pauseSchedule) {
  return operation({
    summary: verb === 'pause' ? 'Stop a schedule; its tasks go on.' : 'Let a paused schedule fire again.',
    right: 'run',
    concerns: schedule,
    at: `POST /v1/schedules/{name}/${verb}`,
    input: z.strictObject({ name, comment }),
    answers: answer(`It is ${status}.`, done),
    run: (project, { person }, { name: of, comment: why }) =>
      project.ask(async (connection) => {
        const by = `${status} by ${person.name}`;
        await hold(connection, of, why === undefined ? by : `${by}: ${why}`);
        return { schedule: of, status };
      }),
  });
}
