import type { JSX } from 'preact';
import type { HookAnswer } from '../../contracts/hooks.js';
import { isInTurn } from '../../rules/steps/step-tree.js';
import { duration, t } from '../texts/text.js';
import { Ago, State, Table } from './parts.js';

/** How many answers are shown: a loop may have thousands. */
const MAX_SHOWN = 50;
const GRAVEST_FIRST = ['failed', 'deny', 'need_user_confirm', 'allow'];

/** What hooks answered, the gravest first: which hook, when, its verdict and its reason. */
export function HookAnswers({ answers }: { answers: readonly HookAnswer[] }): JSX.Element {
  const left = answers.length - MAX_SHOWN;
  return (
    <>
      <Table head={[t('task.hook'), t('task.phase'), t('task.verdict'), t('task.reason'), t('task.time')]}>
        {sorted(answers)
          .slice(0, MAX_SHOWN)
          .map((answer) => (
            <tr key={JSON.stringify(answer)}>
              <td>
                <code>{answer.hook_id}</code>
              </td>
              <td>
                {answer.phase} {isInTurn(answer.path) && <span class="quiet">{answer.path}</span>}
              </td>
              <td>
                <State state={verdictOf(answer)} />
              </td>
              <td>{[answer.reason, answer.suggestion, ...(answer.warnings ?? [])].filter(Boolean).join(' · ')}</td>
              <td>
                {answer.moment && <Ago at={answer.moment} />}{' '}
                {answer.duration_ms !== undefined && duration(answer.duration_ms)}
              </td>
            </tr>
          ))}
      </Table>
      {left > 0 && <p class="quiet">{t('more.count', { count: left })}</p>}
    </>
  );
}

/** The gravest verdict of a step's hooks, and how many answered. */
export function Verdicts({ answers }: { answers: readonly HookAnswer[] }): JSX.Element | null {
  const [gravest] = sorted(answers);
  if (!gravest) return null;
  return (
    <>
      <State state={verdictOf(gravest)} /> {answers.length > 1 && `×${answers.length}`}
    </>
  );
}

function sorted(answers: readonly HookAnswer[]): HookAnswer[] {
  const gravity = (answer: HookAnswer): number => GRAVEST_FIRST.indexOf(verdictOf(answer));
  return [...answers].sort((one, other) => gravity(one) - gravity(other));
}

/** A hook that failed has decided nothing. */
function verdictOf({ status, decision }: HookAnswer): string {
  return status === 'error' ? 'failed' : decision;
}
