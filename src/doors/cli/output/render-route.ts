import type { RoutedAbility, RoutedRequest } from '../../answers/route-request.js';
import { plainText } from './plain-text.js';
import type { Style } from './terminal/terminal.js';

export function renderRoute(answer: RoutedRequest & { steps?: RoutedRequest[] }, style: Style): string {
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
