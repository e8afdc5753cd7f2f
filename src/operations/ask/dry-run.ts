import { recruitIn } from '../../choosing/recruit/recruit.js';
import type { AskAnswer, Request } from './ask-shapes.js';
import { metaOf, refuseText } from './begin-ask.js';
import { consider } from './consider.js';

/** Previews a request: reads files only, queries no server. Without a session, no hook fires. */
export async function dryRun(request: Request): Promise<AskAnswer> {
  refuseText(request.text);
  const { registry, environment, scope, text, pack } = request;
  const recruited = recruitIn(registry, { environment, prompt: text, ...(pack !== undefined && { named: pack }) });
  const message = { id: 'm-1', role: 'user', text, at: new Date().toISOString() } as const;
  const thread = { key: 'dry-run', messages: [message], count: 1, pending: null };
  const considered = await consider(request, thread, recruited);
  const { pending: _, retries: __, signals: ___, abstained: ____, ...resolved } = considered;
  const outcome = resolved.outcome === 'runs' ? 'planned' : resolved.outcome;
  const answer = resolved.outcome === 'runs' ? `${resolved.plan[0]?.ability_id} would run.` : resolved.answer;
  const _meta = metaOf(
    registry,
    recruited,
    resolved.plan.map(({ ability_id }) => ability_id),
  );
  const rest = { run: null, session_id: null, turn_context: null, tasks: [], _meta };
  return { ...rest, request: text, environment, scope, ...resolved, outcome, answer };
}
