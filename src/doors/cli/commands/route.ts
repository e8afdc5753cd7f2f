import { usageError } from '../../../contracts/problem.js';
import { findScope } from '../../../definitions/find-scope.js';
import { renderRoute } from '../output/render-route.js';
import type { ChoosingFlags } from '../program/choosing.js';
import { type Context, environmentOf, openRegistry, printAnswer } from '../program/context.js';

/** `ability route TEXT`: the abilities that fit a request in plain words, or that none does. Runs nothing. */
export async function run(context: Context, [words]: [string[]], flags: ChoosingFlags['route']): Promise<void> {
  const given = words.join(' ');
  const text = given === '-' ? context.terminal.readInput() : given;
  if ([text, ...flags.step].some((request) => request.trim() === '')) {
    throw usageError(
      'There is no request to route',
      'Say in plain words what is wanted: ability route "seed a test user".',
    );
  }
  const registry = await openRegistry(context);
  const environment = await environmentOf(context, registry);
  const scope = findScope(registry.root, context.cwd, flags.scope, context.env);
  const { poolOf } = await import('../../../choosing/ability-pool.js');
  const { routeRequest } = await import('../../answers/route-request.js');
  const pool = poolOf(registry, environment, scope, context.env);
  const question = { registry, pool, environment, detail: flags.detail };
  const whole = await routeRequest(question, text);
  const steps = await Promise.all(flags.step.map((step) => routeRequest(question, step)));
  for (const { request, fits, nearest, suggestions } of [whole, ...steps]) {
    if (fits) continue;
    const { noteGap } = await import('../../answers/note-gap.js');
    const kind = suggestions.length > 0 ? 'not_here' : 'nothing_fits';
    const near = [...suggestions.map(({ id }) => id), ...nearest].slice(0, 3);
    noteGap(registry, context.env, { request, kind, door: 'route', environment, scope, nearest: near });
  }
  const answer = { environment, scope, ...whole, ...(steps.length > 0 && { steps }) };
  printAnswer(context, answer, () => renderRoute(answer, context.terminal.style));
}
