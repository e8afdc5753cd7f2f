import type { AskAnswer, Request } from './ask-shapes.js';
import { answerOf, recruitFor } from './begin-ask.js';
import { consider } from './consider.js';

/** Previews a request: reads files only, queries no server. Without a session, no hook fires. */
export async function dryRun(request: Request): Promise<AskAnswer> {
  const recruited = recruitFor(request);
  const message = { id: 'm-1', role: 'user', text: request.text, at: new Date().toISOString() } as const;
  const thread = { key: 'dry-run', messages: [message], count: 1, pending: null };
  const considered = await consider(request, thread, recruited);
  const ids = considered.plan.map(({ ability_id }) => ability_id);
  const would = considered.outcome === 'runs' && ({ outcome: 'planned', answer: `${ids[0]} would run.` } as const);
  const nothing = { run: null, session_id: null, turn_context: null, tasks: [] };
  return { ...nothing, ...answerOf(request, recruited, considered, ids), ...would };
}
