import { HANDLERS, MATCH_FIELDS, PLAIN_BUILTINS } from '../../../../authoring/choices.js';
import { type HookChoice, planHook } from '../../../../authoring/scaffold/plan-hook.js';
import { readFields } from '../../../../authoring/scaffold/read-fields.js';
import { checkPlainName } from '../../../../authoring/scaffold/scaffold.js';
import { PHASES } from '../../../../contracts/hooks.js';
import type { ExitCode } from '../../../../contracts/states.js';
import { defined } from '../../../../text/defined.js';
import { askChoice, askText, canAsk } from '../../input/ask.js';
import { refuseStray } from '../../input/flag-values.js';
import type { AuthoringFlags } from '../../program/authoring.js';
import { type Context, openRegistry } from '../../program/context.js';
import { finishScaffold } from './finish-scaffold.js';
import { scaffoldOrFromDefinition } from './from-definition.js';

type Flags = AuthoringFlags['hook'];

/** A flag of another handler would be ignored, so it is refused. */
const BELONGS: Record<HookChoice['handler'], readonly (keyof Flags)[]> = {
  expression: ['denyIf', 'confirmIf', 'warnIf', 'reason'],
  script: ['language'],
  builtin: ['builtin'],
};

/** `ability scaffold hook ID`: a hook at the end of its phase's file, with its script, or that of `--from`. */
export function run(context: Context, [id = '']: [string?], flags: Flags): Promise<ExitCode> {
  const request = { kind: 'hook', name: id, argument: 'ID', flags, companion: 'phase' } as const;
  return scaffoldOrFromDefinition(context, request, async () => {
    const match = readFields(flags.match, '--match', MATCH_FIELDS);
    checkPlainName(id, 'id of a hook');
    await openRegistry(context);
    const phase = await askChoice<string>(context, flags.phase, PHASES, {
      flag: '--phase',
      message: 'When does it fire?',
    });
    const choice = await readHandler(context, flags, phase);
    return finishScaffold(context, {
      scopes: () => [],
      plan: (site) => planHook(site, { id, phase, choice, match, summary: flags.summary }),
    });
  });
}

async function readHandler(context: Context, flags: Flags, phase: string): Promise<HookChoice> {
  const question = { flag: '--handler', message: 'How does it answer?' };
  const handler = await askChoice(context, flags.handler, HANDLERS, question);
  refuseStray('--handler', handler, BELONGS, flags);
  if (handler === 'script') return { handler, language: flags.language ?? 'node' };
  if (handler === 'builtin') {
    const which = { flag: '--builtin', message: 'Which one?' };
    return { handler, name: await askChoice(context, flags.builtin, PLAIN_BUILTINS, which) };
  }
  return { handler, ...(await readConditions(context, flags, phase)) };
}

/** Asks for the condition at a terminal; elsewhere a hook without one only warns until it has one. */
async function readConditions(context: Context, flags: Flags, phase: string) {
  const { denyIf, confirmIf, warnIf, reason } = flags;
  const given = {
    ...defined({ deny_if: denyIf, confirm_if: confirmIf, warn_if: warnIf, reason }),
  };
  if ((denyIf ?? confirmIf ?? warnIf) !== undefined || !canAsk(context)) return given;
  const isOver = phase === 'PostAbilityCall' || phase === 'SessionStop';
  const verbs = isOver ? (['warn_if'] as const) : (['deny_if', 'confirm_if', 'warn_if'] as const);
  const verb = await askChoice<'deny_if' | 'confirm_if' | 'warn_if'>(context, undefined, verbs, {
    flag: '--deny-if',
    message: 'What does it do?',
  });
  const message = 'When? (CEL over input, environment, ability, effects, tags, user)';
  return { ...given, [verb]: await askText(context, undefined, { flag: '--deny-if', message }) };
}
