import type { Phase } from '../../contracts/hooks.js';
import { fillTemplate } from '../fill-template.js';
import { EXTENSIONS, type Language } from './script-stub.js';

/** A script that handles a hook: EventContext as JSON on stdin, HookResult as JSON on stdout. Source: R-002-17, R-002-18. */
export function hookStub(language: Language, title: string, phase: Phase): string {
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

/** What a stub answers: in each language, the statement that makes the answer, or prints it. */
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
