import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EFFECTS, type Effect } from '../../contracts/effects.js';
import { PHASES, type Phase, SESSION_PHASES } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError, formatLocation, usageError } from '../../contracts/problem.js';
import { BUILTIN_PHASES } from '../../definitions/builtin-options.js';
import { unsaidSummary } from '../../definitions/default-summary.js';
import { abilityIds } from '../../definitions/find-ability.js';
import { isOverPhase } from '../../rules/hooks/fold-answers.js';
import { matchesAnyGlob } from '../../text/glob.js';
import { didYouMean } from '../../text/nearest.js';
import type { MATCH_FIELDS, PLAIN_BUILTINS } from '../choices.js';
import { fillTemplate } from '../fill-template.js';
import { FileDraft, schemaLine } from '../write-together.js';
import { appendItem, flowYaml, indented } from '../write-yaml.js';
import { checkPlainName, fileNameOf, type Scaffold, type Site, taken } from './scaffold.js';
import { EXTENSIONS, type Language } from './script-stub.js';

export type HookChoice =
  | { handler: 'expression'; deny_if?: string; confirm_if?: string; warn_if?: string; reason?: string }
  | { handler: 'script'; language: Language }
  | { handler: 'builtin'; name: (typeof PLAIN_BUILTINS)[number] };

export interface NewHook {
  id: string;
  phase: string;
  choice: HookChoice;
  match: Partial<Record<(typeof MATCH_FIELDS)[number], string[]>>;
  summary?: string;
}

/**
 * Plans a hook at the end of its phase's file, and its script if any. Hooks that can prevent their event are
 * blocking: before a call, others would never run. Without `match` it applies to all abilities or sessions.
 * @throws AbilityError `usage.invalid`, `scaffold.exists`, or the error of the phase's file.
 */
export function planHook(site: Site, wanted: NewHook): Scaffold {
  const { registry, folders } = site;
  const { id, choice } = wanted;
  const phase = checkPhase(wanted.phase);
  checkPlainName(id, 'id of a hook');
  checkNewHook(site, phase, id);
  const isOfSession = SESSION_PHASES.some((each) => each === phase);
  checkMatch(phase, wanted.match);
  const everywhere = isOfSession ? undefined : { abilities: ['*'] };
  const match = Object.keys(wanted.match).length > 0 ? wanted.match : everywhere;
  const title = wanted.summary ?? unsaidSummary(id);
  const draft = new FileDraft(registry.root);
  const file = hookFileOf(site, phase);
  const lines = [
    `id: ${flowYaml(id)}`,
    `summary: ${flowYaml(title)}`,
    ...(isOverPhase(phase) ? [] : ['blocking: true']),
    ...(match ? [`match: ${flowYaml(match)}`] : []),
    'handler:',
    `  ${handlerOf(draft, id, phase, choice, title)}`,
  ];
  const item = `- ${indented(lines.join('\n')).trimStart()}`;
  draft.edit(file, `${schemaLine({ kind: 'hooks', path: file, registry: folders.registry })}\n`, (text) =>
    appendItem({ file, text }, 'hooks', item),
  );
  return {
    files: draft.files(),
    abilities: [],
    hook: { phase, id },
    notes: notesOn(site, wanted.match, isOfSession),
    next: isOfSession
      ? [TRY_SESSION]
      : [{ command: `ability hooks test ${id} --context FILE`, purpose: ASK }, TRY_ABILITY],
  };
}

/** @throws AbilityError `scaffold.exists`, or the error of the phase's file if it is broken. */
export function checkNewHook({ registry }: Site, phase: Phase, id: string): void {
  const broken = registry.broken.get(`hooks:${phase}`);
  if (broken) throw new AbilityError(broken);
  const same = registry.hooks.get(phase)?.find(({ value }) => value.id === id);
  if (same) throw taken(`There is a hook ${id} of ${phase} already`, formatLocation(same.locate([])));
}

const ASK = 'ask it about an event; FILE has { "payload": INPUT, "ability_id": ID, "environment": NAME }';
const TRY_ABILITY = {
  command: 'ability hooks list',
  purpose: 'where it fires; run such an ability, and `ability why KEY` shows what the hook said',
};
const TRY_SESSION = {
  command: 'ability session start',
  purpose: 'start a session; `ability session prompt` and `stop` ask its hooks, and `show` has what they said',
};

export function checkPhase(phase: string): Phase {
  const known = PHASES.find((each) => each === phase);
  if (known !== undefined) return known;
  throw usageError(`There is no phase ${phase}`, didYouMean(phase, PHASES) ?? `The phases are: ${PHASES.join(', ')}.`);
}

function checkMatch(phase: Phase, match: NewHook['match']): void {
  const { effects } = match;
  const stray = Object.keys(match).find((field) => field !== 'environments' && field !== 'modules');
  if (stray !== undefined && SESSION_PHASES.some((each) => each === phase)) {
    throw usageError(
      `A hook of ${phase} does not match on ${stray}: it is about a session, not an ability`,
      'Match environments or modules, or pass --phase PreAbilityCall.',
    );
  }
  const wrong = effects?.find((effect) => !EFFECTS.includes(effect as Effect));
  if (wrong !== undefined) {
    throw usageError(`There is no effect ${wrong}`, didYouMean(wrong, EFFECTS) ?? `There are: ${EFFECTS.join(', ')}.`);
  }
  if (!effects || phase !== 'PreAbilityCreate') return;
  throw usageError(
    'A hook of PreAbilityCreate does not match on effects: it only asks whether a task can be formed',
    'Pass --phase PreAbilityCall, or leave the effects out.',
  );
}

/** Warns of matches that would otherwise be noticed only because the hook does not fire. */
function notesOn({ registry }: Site, match: NewHook['match'], isOfSession: boolean): string[] {
  if (Object.keys(match).length === 0) {
    const all = isOfSession ? 'sessions; write `match`' : 'abilities; narrow `match`';
    return [`It is for all ${all} in its file, or pass --match.`];
  }
  const known = {
    abilities: abilityIds(registry),
    environments: Object.keys(registry.project.environments),
  };
  return (['abilities', 'environments'] as const).flatMap((field) => {
    const globs = match[field];
    if (!globs || known[field].some((name) => matchesAnyGlob(globs, name))) return [];
    return [`None of the ${field} of this project fits ${globs.join(', ')} yet, so it does not fire.`];
  });
}

/** The phase's existing file (`.yaml` or `.yml`), or the path of a new one. */
export function hookFileOf({ registry, folders }: Site, phase: Phase): string {
  const [first] = registry.hooks.get(phase) ?? [];
  if (first) return first.file;
  const short = `${folders.hooks}/${phase}.yml`;
  return existsSync(join(registry.root, short)) ? short : `${folders.hooks}/${phase}.yaml`;
}

function handlerOf(draft: FileDraft, id: string, phase: Phase, choice: HookChoice, title: string): string {
  if (choice.handler === 'builtin') return `builtin: ${checkBuiltin(choice.name, phase)}`;
  if (choice.handler === 'script') {
    const path = `scripts/hooks/${fileNameOf(id)}.${EXTENSIONS[choice.language]}`;
    draft.add(path, hookStub(choice.language, title, phase));
    return `script: { path: ${flowYaml(path)}, timeout_sec: 10 }`;
  }
  const { handler: _, ...given } = choice;
  const chosen = given.deny_if ?? given.confirm_if ?? given.warn_if;
  if (isOverPhase(phase) && (given.deny_if ?? given.confirm_if) !== undefined) {
    throw usageError(
      `A hook of ${phase} fires ${phase === 'PostAbilityCall' ? 'after the call' : 'at the end of a session'}, so it can neither deny nor ask`,
      'Pass --warn-if, or --phase PreAbilityCall.',
    );
  }
  const { reason = `The hook ${id} applies.`, ...conditions } = given;
  return `expression: ${flowYaml(chosen === undefined ? stubOf(id, phase) : { ...conditions, reason })}`;
}

/** A condition with a visible effect that stops nothing: on a prompt, `deny_if` only raises a risk alert. */
function stubOf(id: string, phase: Phase): JsonObject {
  if (phase === 'PromptSubmit') {
    return { deny_if: 'true', reason: `${id} saw this prompt; set deny_if to the condition for a risk alert` };
  }
  const what = isOverPhase(phase)
    ? 'warn_if to the condition for a warning'
    : 'deny_if, confirm_if or warn_if to the condition for it to deny, ask or warn';
  return { warn_if: 'true', reason: `${id} saw this; set ${what}` };
}

function checkBuiltin(name: (typeof PLAIN_BUILTINS)[number], phase: Phase): string {
  if (BUILTIN_PHASES[name].includes(phase)) return name;
  throw usageError(
    `The built-in handler ${name} does not belong to ${phase}`,
    `Pass --phase ${BUILTIN_PHASES[name].join(' or ')}, or another --handler.`,
  );
}

/** A hook handler: EventContext as JSON on stdin, HookResult as JSON on stdout. Source: R-002-17, R-002-18. */
function hookStub(language: Language, title: string, phase: Phase): string {
  return fillTemplate(`scaffold/hook.${EXTENSIONS[language]}`, {
    TITLE: title.replaceAll(/\s+/g, ' '),
    FIELDS: FIELDS[phase] ?? FIELDS_OF_TASKS,
    ANSWER: (ANSWERS[phase] ?? ALLOWS)[language],
  });
}

const FIELDS_OF_TASKS = 'event_type, ability_id, payload, environment, ..';
const FIELDS: Partial<Record<Phase, string>> = {
  SessionStart: 'payload.scope, payload.started_last_day, user_id, environment, ..',
  PromptSubmit: 'payload.prompt, payload.turn_index, payload.scope, environment, ..',
  SessionStop: 'session_id, payload.reason, payload.turns, payload.tasks, ..',
};

const START_DECISIONS = 'allow or deny (with `reason` and `suggestion`); a crash counts as deny';
const DECISIONS = 'allow, deny (with `reason` and `suggestion`) or need_user_confirm; a crash counts as deny';
const SIGNALS = 'routing_hints, ability_guards, risk_alerts, normalized_intent: they inform, and stop no prompt';

type Answer = Record<Language, string>;

const ALLOWS: Answer = {
  node: `// ${DECISIONS}.\nconst answer = { guard_decision: 'allow', reason: \`\${event.ability_id} may run in \${event.environment.name}\` };`,
  python: `# ${DECISIONS}.\nanswer = {"guard_decision": "allow", "reason": f"{event['ability_id']} may run"}`,
  shell: `# ${DECISIONS}.\necho '{"guard_decision": "allow", "reason": "it may run"}'`,
};
const ANSWERS: Partial<Record<Phase, Answer>> = {
  PostAbilityCall: {
    node: 'const answer = { infra: { log: `${event.ability_id} was called in ${event.environment.name}` } };',
    python: 'answer = {"infra": {"log": f"{event[\'ability_id\']} was called in {event[\'environment\'][\'name\']}"}}',
    shell: `echo '{"infra": {"log": "an ability was called"}}'`,
  },
  SessionStart: {
    node: `// ${START_DECISIONS}.\nconst answer = { guard_decision: 'allow', reason: \`\${event.user_id} started \${event.payload.started_last_day} sessions within a day\` };`,
    python: `# ${START_DECISIONS}.\nanswer = {"guard_decision": "allow", "reason": f"{event['user_id']} may start a session"}`,
    shell: `# ${START_DECISIONS}.\necho '{"guard_decision": "allow", "reason": "a session may start"}'`,
  },
  PromptSubmit: {
    node: `// ${SIGNALS}.\nconst intent = event.payload.prompt.trim().toLowerCase();\nconst answer = { hook_signals: { normalized_intent: intent, routing_hints: [], risk_alerts: [] } };`,
    python: `# ${SIGNALS}.\nintent = event["payload"]["prompt"].strip().lower()\nanswer = {"hook_signals": {"normalized_intent": intent, "routing_hints": [], "risk_alerts": []}}`,
    shell: `# ${SIGNALS}.\necho '{"hook_signals": {"routing_hints": ["a prompt was submitted"], "risk_alerts": []}}'`,
  },
  SessionStop: {
    node: 'const { reason, turns } = event.payload;\nconst answer = { infra: { log: `${event.session_id} ended after ${turns} turns: ${reason}` } };',
    python:
      'ended = event["payload"]\nanswer = {"infra": {"log": f"{event[\'session_id\']} ended after {ended[\'turns\']} turns: {ended[\'reason\']}"}}',
    shell: `echo '{"infra": {"log": "a session ended"}}'`,
  },
};
