import type { Phase } from '../../contracts/hooks.js';
import { dedented } from '../dedented.js';
import type { Language } from './script-stub.js';

/** A script that handles a hook: EventContext as JSON on stdin, HookResult as JSON on stdout. Source: R-002-17, R-002-18. */
export function hookStub(language: Language, title: string, phase: Phase): string {
  const [read, answer] = [FIELDS[phase] ?? FIELDS_OF_TASKS, ANSWERS[phase] ?? ALLOWS];
  return STUBS[language](title.replaceAll(/\s+/g, ' '), read, answer[language]);
}

const FIELDS_OF_TASKS = 'event_type, ability_id, payload, environment, ..';
const FIELDS: Partial<Record<Phase, string>> = {
  PromptSubmit: 'payload.prompt, payload.turn_index, payload.scope, environment, ..',
  SessionStop: 'session_id, payload.reason, payload.turns, payload.tasks, ..',
};

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

const STUBS: Record<Language, (title: string, fields: string, answer: string) => string> = {
  node: (title, fields, answer) => dedented`
    // ${title}
    // Reads on stdin what happens (${fields}); answers on stdout.
    import { readFileSync } from 'node:fs';

    const event = JSON.parse(readFileSync(0, 'utf8'));

    ${answer}

    console.log(JSON.stringify(answer));
  `,
  python: (title, fields, answer) => dedented`
    # ${title}
    # Reads on stdin what happens (${fields}); answers on stdout.
    import json
    import sys

    event = json.load(sys.stdin)

    ${answer}

    print(json.dumps(answer))
  `,
  shell: (title, fields, answer) => dedented`
    #!/bin/sh
    # ${title}
    # Reads on stdin, as JSON, what happens (${fields}); answers on stdout.
    set -eu
    event=$(cat)
    : "$event"

    ${answer}
  `,
};
