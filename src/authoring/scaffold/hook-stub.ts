import type { Phase } from '../../contracts/hooks.js';
import { dedented } from '../dedented.js';
import type { Language } from './script-stub.js';

/** A script that handles a hook: EventContext as JSON on stdin, HookResult as JSON on stdout. Source: R-002-17, R-002-18. */
export function hookStub(language: Language, title: string, phase: Phase): string {
  return STUBS[language](title.replaceAll(/\s+/g, ' '), phase === 'PostAbilityCall');
}

const ANSWERS = 'allow, deny (with `reason` and `suggestion`) or need_user_confirm; a crash counts as deny';

const STUBS: Record<Language, (title: string, isAfter: boolean) => string> = {
  node: (title, isAfter) => dedented`
    // ${title}
    // Told on stdin what happens (event_type, ability_id, payload, environment, ..); answers on stdout.
    import { readFileSync } from 'node:fs';

    const event = JSON.parse(readFileSync(0, 'utf8'));

    ${
      isAfter
        ? 'const answer = { infra: { log: `${event.ability_id} was called in ${event.environment.name}` } };'
        : `// ${ANSWERS}.\nconst answer = { guard_decision: 'allow', reason: \`\${event.ability_id} may run in \${event.environment.name}\` };`
    }

    console.log(JSON.stringify(answer));
  `,
  python: (title, isAfter) => dedented`
    # ${title}
    # Told on stdin what happens (event_type, ability_id, payload, environment, ..); answers on stdout.
    import json
    import sys

    event = json.load(sys.stdin)

    ${
      isAfter
        ? 'answer = {"infra": {"log": f"{event[\'ability_id\']} was called in {event[\'environment\'][\'name\']}"}}'
        : `# ${ANSWERS}.\nanswer = {"guard_decision": "allow", "reason": f"{event['ability_id']} may run"}`
    }

    print(json.dumps(answer))
  `,
  shell: (title, isAfter) => dedented`
    #!/bin/sh
    # ${title}
    # Told on stdin, as JSON, what happens (event_type, ability_id, payload, environment, ..); answers on stdout.
    set -eu
    event=$(cat)
    : "$event"

    ${
      isAfter
        ? `echo '{"infra": {"log": "an ability was called"}}'`
        : `# ${ANSWERS}.\necho '{"guard_decision": "allow", "reason": "it may run"}'`
    }
  `,
};
