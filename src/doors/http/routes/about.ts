import { z } from 'zod';
import { checkRetention, keepingRuntime } from '../../../client/index.js';
import { RIGHTS } from '../../../contracts/access.js';
import { wholeProject } from '../../../operations/concerns.js';
import { answer } from '../../../operations/operation.js';
import { withinRight } from '../../../operations/run-operation.js';
import { hasRight } from '../../../rules/rights.js';
import { metricsOf } from '../metrics/door-metrics.js';
import { defineRoute, type Route } from '../route.js';

const healthAnswer = z.strictObject({ status: z.enum(['ok', 'unavailable']) });

const PATIENCE_MS = 3000;

/** Reports only whether the door works, since anyone may ask. */
export const healthRoute: Route = defineRoute({
  name: 'readHealth',
  method: 'GET',
  path: '/v1/health',
  summary: 'Whether Temporal answers.',
  answersHead: true,
  right: null,
  answers: { 200: { means: 'It does.', schema: healthAnswer }, 503: { means: 'It does not.', schema: healthAnswer } },
  async handle({ door }) {
    try {
      await door.ask((connection) => {
        const check = () => checkRetention(connection);
        return keepingRuntime(connection, () => connection.temporal.withDeadline(Date.now() + PATIENCE_MS, check));
      });
      return { status: 200, body: { status: 'ok' } };
    } catch {
      return { status: 503, body: { status: 'unavailable' } };
    }
  },
});

/** Metrics for Prometheus. docs/metrics.md lists them. */
export const metricsRoute: Route = defineRoute({
  name: 'readMetrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics of the tasks, the queues and the door, for Prometheus.',
  right: 'read',
  answers: { 200: { means: 'In the text format of Prometheus.', schema: z.string(), type: 'text/plain' } },
  async handle({ door, caller: { rights } }) {
    const metrics = metricsOf(door);
    const body = await withinRight({ project: door, rights, right: 'read' }, wholeProject, {}, () =>
      metrics.scrape(door),
    );
    return { status: 200, body, headers: { 'content-type': metrics.contentType } };
  },
});

const globs = z.array(z.string()).optional();
const limits = z.strictObject({ environments: globs, abilities: globs });

/** Who the caller is to this door, and where it leads. */
export const meRoute: Route = defineRoute({
  name: 'readMe',
  method: 'GET',
  path: '/v1/me',
  summary: 'Who the caller is here, with its rights, and the project with its environments.',
  right: 'read',
  answers: answer(
    'As the door sees the caller.',
    z.strictObject({
      person: z.string(),
      agent: z.string().nullable(),
      rights: z.array(z.enum(RIGHTS)),
      limits: z
        .partialRecord(z.enum(RIGHTS), z.array(limits))
        .describe('Where each right holds, by globs; `{}`: everywhere.'),
      groups: z.array(z.string()).describe('In the claim of the OpenID provider.'),
      signed_in: z.boolean().describe('By a token; else the door knows who runs it, or a proxy names the person.'),
      project: z.string(),
      environments: z.array(z.string()),
      environment: z.string().nullable().describe('That of requests that name none.'),
      temporal_ui: z.string().nullable(),
    }),
  ),
  async handle({ door, caller }) {
    const { person, rights, token, admitted } = caller;
    const { project } = door.registry();
    const ui = await door.ask(async (connection) => connection.ui).catch(() => null);
    const body = {
      person: person.name,
      agent: person.agent ?? null,
      rights: RIGHTS.filter((right) => hasRight(rights, right)),
      limits: rights,
      groups: admitted?.groups ?? [],
      signed_in: token !== undefined,
      project: project.project,
      environments: Object.keys(project.environments),
      environment: door.environment ?? project.default_environment ?? null,
      temporal_ui: ui,
    };
    return { status: 200, body };
  },
});
