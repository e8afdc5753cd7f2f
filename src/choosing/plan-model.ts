import type OpenAI from 'openai';
import type { AgentTurn, PlanProvider } from '../contracts/agent-runtime.js';
import { AbilityError } from '../contracts/problem.js';
import { formatDuration } from '../rules/duration.js';
import { connectToModel, denialIn, type ModelEndpoint, refuseLiteral, whyUnanswered } from './model-endpoint.js';
import { PLANNER_INSTRUCTIONS } from './planner-instructions.js';

/** The model that plans calls; `url` is the base of its endpoint. */
export interface PlannerModel extends ModelEndpoint {
  model: string;
  /** For one answer. Milliseconds. */
  timeoutMs: number;
}

/** Longer answers are not read. Bytes. */
const MOST_BYTES = 1024 * 1024;

/** A provider of plans that asks a model behind an OpenAI-compatible endpoint. There are no retries: what fails ends the run with its reason. */
export function modelProvider(model: PlannerModel): PlanProvider {
  let client: Promise<OpenAI> | undefined;
  return {
    async ask(turn, _, signal) {
      const deadline = new AbortController();
      const stop = (): void => deadline.abort();
      const timer = setTimeout(stop, model.timeoutMs);
      signal.addEventListener('abort', stop, { once: true });
      try {
        signal.throwIfAborted();
        refuseLiteral(model);
        client ??= connectToModel(model, { timeoutMs: model.timeoutMs, mostBytes: MOST_BYTES });
        const { chat } = await client;
        const messages = messagesOf(turn);
        const { choices } = await chat.completions.create(
          { model: model.model, messages, response_format: { type: 'json_object' } },
          { signal: deadline.signal },
        );
        return choices?.[0]?.message?.content ?? '';
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error, model, deadline.signal.aborted);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      }
    },
  };
}

function messagesOf(turn: AgentTurn): OpenAI.Chat.ChatCompletionMessageParam[] {
  return [
    { role: 'system', content: PLANNER_INSTRUCTIONS },
    { role: 'user', content: JSON.stringify(turn) },
  ];
}

function failureOf(error: unknown, { url, timeoutMs }: PlannerModel, isLate: boolean): AbilityError {
  if (isLate && !denialIn(error)) {
    const message = `The model did not answer within ${formatDuration(timeoutMs)}`;
    return new AbilityError({ code: 'planner.timeout', message });
  }
  return new AbilityError({ code: 'planner.failed', message: whyUnanswered(error, url) });
}
