import type { AskAnswer, PlannedCall } from '../../answers/ask/ask-shapes.js';
import { listed } from '../../answers/ask/ask-words.js';
import { plainText } from './plain-text.js';
import type { Style } from './terminal/terminal.js';

/** The text before an answer: hints of the hooks, and the plan with its reason. For stderr. */
export function renderBefore(answer: Pick<AskAnswer, 'turn_context' | 'plan' | 'decision'>, style: Style): string[] {
  const { risk_alerts = [], ability_guards = [] } = answer.turn_context?.hook_signals ?? {};
  const guards = ability_guards
    .filter(({ decision }) => decision !== 'allow')
    .map(({ ability_id, decision, reason }) => `${ability_id}: ${decision.replaceAll('_', ' ')}, ${reason}`);
  const alerts = [...risk_alerts, ...guards].map((text) => `${style('yellow', 'warning')} ${plainText(text, '  ')}`);
  return [...alerts, ...answer.plan.flatMap((call) => planLines(call, answer.decision, style))];
}

function planLines(
  { ability_id, input, effects, approvals, warnings }: PlannedCall,
  { rationale, continuation }: AskAnswer['decision'],
  style: Style,
): string[] {
  const inputs = Object.entries(input).map(([name, value]) => `  ${name}  ${plainText(JSON.stringify(value))}`);
  const expected = approvals.map(({ title, asked: when, approvers }) => {
    const by = approvers.length > 0 ? ` by ${listed(approvers, 'or')}` : '';
    return `  approval  ${plainText(title)}${by}${when === 'maybe' ? ', perhaps' : ''}`;
  });
  return [
    `${style('bold', ability_id)}  ${effects.replaceAll('_', ' ')}`,
    ...inputs,
    ...expected,
    ...warnings.map((warning) => `  ${style('yellow', 'warning')} ${plainText(warning, '    ')}`),
    ...(continuation ? [] : [`  because ${plainText(rationale)}`]),
  ];
}

export function renderAnswer({ outcome, answer, question, options, problem }: AskAnswer): string {
  const said = [answer, ...(question !== null && question !== answer ? [question] : [])];
  const choices = outcome === 'asks' ? unnamedOptions(said.join('\n'), options) : '';
  const advice = problem?.suggestion ? `\n  ${problem.suggestion}` : '';
  const code = problem ? `${problem.code}: ` : '';
  return `${code}${said.map((text) => plainText(text)).join('\n')}${plainText(choices)}${plainText(advice)}`;
}

/** The options that a question does not name itself: ` (yes or no)`. */
export function unnamedOptions(question: string, options: readonly string[]): string {
  if (options.every((option) => question.includes(option))) return '';
  return ` (${listed(options, 'or')})`;
}
