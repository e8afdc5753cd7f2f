import type { Project } from '../../definitions/formats/project.js';
import { ChatEndpoint, type ChatMessage, requestForJson, textOf } from '../../models/chat-endpoint.js';
import { denialIn, type NamedModel, namedModel, spanCodeOf, whyUnanswered } from '../../models/model-endpoint.js';
import { signalWithin } from '../../rules/any-abort-signal.js';
import { formatDuration } from '../../rules/duration.js';
import { answerOf, traceModelCall } from '../../tracing/trace-model-call.js';
import { type Router, RouterFault } from './decide.js';
import { ROUTER_INSTRUCTIONS, readRouterAnswer, routerData } from './router-format.js';
import { type Proposal, type RouterInput, USUAL_THRESHOLD } from './targets.js';

/** The model that decides; `url` is the base of its endpoint, and its time is for one decision, including the repair. */
export type RouterModel = NamedModel;

/**
 * The project's settings for decisions. Without a model, rules decide; a text says why the model is unusable, without
 * a full stop. Source: R-003-15; C-25.
 */
export function routerSettings(
  { project: { policy } }: { project: { policy: Pick<Project['policy'], 'router' | 'allowed_hosts'> } },
  env: NodeJS.ProcessEnv,
): { threshold: number; model: RouterModel | string | undefined } {
  const { model, timeout = '10s', threshold = USUAL_THRESHOLD } = policy.router ?? {};
  return { threshold, model: model === undefined ? undefined : namedModel('', { model, timeout }, policy, env) };
}

/** The maximum size of an answer. Bytes. */
const MAX_BYTES = 1024 * 1024;
/** Answers that are read, of which the second repairs the first. */
const MAX_ANSWERS = 2;
/** The maximum part of an invalid answer that the repair request quotes. Characters. */
const MAX_REPEATED = 2_000;

type Ask = (messages: ChatMessage[], signal: AbortSignal) => Promise<string>;

/** The model may repair an invalid answer once, within the same limit. Source: R-003-03, R-003-07; C-25. */
export function modelRouter(model: RouterModel): Router {
  const ask = askThrough(model);
  return {
    async choose(input, signal) {
      const deadline = signalWithin(model.timeoutMs, signal ? [signal] : []);
      try {
        signal?.throwIfAborted();
        return await chooseBy(ask, input, deadline.signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof RouterFault) throw error;
        const isLate = deadline.isLate() && !denialIn(error);
        const late = `The model did not answer within ${formatDuration(model.timeoutMs)}`;
        throw new RouterFault(isLate ? late : whyUnanswered(error, model.url));
      } finally {
        deadline.release();
      }
    },
  };
}

async function chooseBy(ask: Ask, input: RouterInput, signal: AbortSignal): Promise<Proposal> {
  const messages: ChatMessage[] = [
    { role: 'system', content: ROUTER_INSTRUCTIONS },
    { role: 'user', content: await routerData(input) },
  ];
  for (let attempt = 0; attempt < MAX_ANSWERS; attempt += 1) {
    const said = await ask(messages, signal);
    const read = readRouterAnswer(said);
    if ('answer' in read) return { ...read.answer, question: null, options: [] };
    const again = `That cannot be read: ${read.fault}. Answer with the JSON object alone, with exactly the keys that were named.`;
    messages.push({ role: 'assistant', content: said.slice(0, MAX_REPEATED) }, { role: 'user', content: again });
  }
  throw new RouterFault('The model gave no decision that can be read, twice');
}

function askThrough(model: RouterModel): Ask {
  const chat = new ChatEndpoint(model, { timeoutMs: model.timeoutMs, maxBytes: MAX_BYTES });
  return async (messages, signal) => {
    const codeOf = (error: unknown) => spanCodeOf(error, signal);
    const call = { operation: 'chat', model: model.model, url: model.url, output: 'json', codeOf } as const;
    return traceModelCall(call, async (report) => {
      const completion = await chat.completeWithin(model.timeoutMs, requestForJson(model.model, messages), signal);
      report(() => answerOf(completion));
      return textOf(completion);
    });
  };
}

/** A router that always fails. @param reason a sentence without a full stop. */
export function unaskable(reason: string): Router {
  return {
    choose: async () => {
      throw new RouterFault(`The model was not asked: ${reason}`);
    },
  };
}
