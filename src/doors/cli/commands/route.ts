import { usageError } from '../../../contracts/problem.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { RoutedAbility, RoutedRequest } from '../../../operations/route-request.js';
import { defined } from '../../../text/defined.js';
import { plainText } from '../output/plain-text.js';
import type { Style } from '../output/terminal/terminal.js';
import type { ChoosingFlags } from '../program/choosing.js';
import { type Context, environmentGiven, environmentOf, openRegistry, printAnswer } from '../program/context.js';
import { withProject } from '../program/project-client.js';
import { scopeIn } from '../program/project-operations.js';

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
  if (context.door) return routeThere(context, text, flags);
  const registry = await openRegistry(context);
  const environment = await environmentOf(context, registry);
  const scope = findScope(registry.root, context.cwd, flags.scope, context.env);
  const { poolOf } = await import('../../../choosing/ability-pool.js');
  const { routeRequest } = await import('../../../operations/route-request.js');
  const pool = poolOf(registry, environment, scope, context.env);
  const question = { registry, pool, environment, detail: flags.detail };
  const whole = await routeRequest(question, text);
  const steps = await Promise.all(flags.step.map((step) => routeRequest(question, step)));
  if ([whole, ...steps].some(({ fits }) => !fits)) {
    const { noteUnfit } = await import('../../../operations/gaps.js');
    for (const found of [whole, ...steps])
      noteUnfit(registry, context.env, found, { door: 'route', environment, scope });
  }
  report(context, { environment, scope, ...whole, ...(steps.length > 0 && { steps }) });
}

/** The same through a door, which notes the gaps itself. */
function routeThere(context: Context, text: string, flags: ChoosingFlags['route']): Promise<void> {
  return withProject(context, async (project) => {
    const place = defined({ environment: environmentGiven(context), scope: scopeIn(project, context, flags.scope) });
    const route = (request: string) => project.call('searchAbilities', { request, detail: flags.detail, ...place });
    const [whole, ...found] = [await route(text), ...(await Promise.all(flags.step.map(route)))];
    const steps = found.map(({ environment: _, scope: __, ...step }) => step);
    report(context, { ...whole, ...(steps.length > 0 && { steps }) });
  });
}

type RouteAnswer = RoutedRequest & { environment: string; scope: string; steps?: RoutedRequest[] };

function report(context: Context, answer: RouteAnswer): void {
  printAnswer(context, answer, () => renderRoute(answer, context.terminal.style));
}

function renderRoute(answer: RouteAnswer, style: Style): string {
  const { steps = [], ...whole } = answer;
  const parts = steps.map((step) => [style('bold', plainText(step.request)), ...linesOf(step, style)]);
  return [linesOf(whole, style), ...parts].map((lines) => lines.join('\n')).join('\n\n');
}

function linesOf(routed: RoutedRequest, style: Style): string[] {
  const { suggestions, nearest, documents, question, ranker, warning } = routed;
  const by = [
    ...(ranker === 'hybrid' ? ['by words and meaning'] : []),
    ...(warning === undefined ? [] : [`${style('yellow', 'warning')} ${plainText(warning)}`]),
  ];
  const read = documents.map((document) => plainText(document.replace(':', '  ')));
  if (suggestions.length === 0) {
    const near = nearest.length > 0 ? ` Nearest, and not near enough: ${nearest.join(', ')}.` : '';
    return [`Nothing here fits.${near}`, ...read, ...by];
  }
  return [
    ...suggestions.flatMap((one) => describe(one, style)),
    ...read,
    ...(question ? [`ask  ${plainText(question)}`] : []),
    ...by,
  ];
}

function describe(suggestion: RoutedAbility, style: Style): string[] {
  const { id, level, score, reason, effects, placement, summary, given, missing, status, replaced_by } = suggestion;
  const lifecycle = status && status !== 'stable' ? [replaced_by ? `${status}, use ${replaced_by}` : status] : [];
  const facts = [`${level}-level`, score.toFixed(2), effects ?? 'effects unknown', placement, ...lifecycle];
  const inputs = Object.entries(given).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const schemas = [
    ...(suggestion.input_schema ? [`input: ${JSON.stringify(suggestion.input_schema)}`] : []),
    ...(suggestion.output_schema ? [`output: ${JSON.stringify(suggestion.output_schema)}`] : []),
  ];
  const lines = [
    ...(summary === undefined ? [] : [summary]),
    reason,
    ...(inputs.length > 0 ? [`given: ${inputs.join(', ')}`] : []),
    ...(missing.length > 0 ? [`missing: ${missing.map(({ name }) => name).join(', ')}`] : []),
    ...schemas,
  ];
  return [`${style('bold', id)}  ${facts.filter(Boolean).join(', ')}`, ...lines.map((line) => `  ${plainText(line)}`)];
}
