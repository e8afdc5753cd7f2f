import { z } from 'zod';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import type { ModelImplementation, PlanScript } from '../../../contracts/plan.js';
import { recordModelAnswer } from '../../../tracing/trace-model-call.js';
import { callScript, type ScriptDependencies } from '../../script/call/call-script.js';
import { MAX_ANSWER_LENGTH, MAX_CALLS_PER_TURN, type Question, type Said } from './transcript.js';

const said = z.strictObject({
  text: z.string().max(MAX_ANSWER_LENGTH).default(''),
  calls: z
    .array(
      z.strictObject({
        id: z.string().max(100).optional(),
        name: z.string().max(MAX_ANSWER_LENGTH),
        arguments: z.union([z.string().max(MAX_ANSWER_LENGTH), z.record(z.string(), z.json())]).default({}),
      }),
    )
    .max(MAX_CALLS_PER_TURN)
    .default([]),
  usage: z.strictObject({ input_tokens: z.number().int().min(0), output_tokens: z.number().int().min(0) }).optional(),
});

/**
 * Runs a program of the project as a model: it reads the request as JSON on stdin, and writes `{text?, calls?:
 * [{id?, name, arguments}], usage?}`. @throws CallFailure `script.*`, `timeout.call`, `model.answer_broken`.
 */
export async function askProgram(
  { model: _, ...base }: ModelImplementation,
  script: PlanScript,
  { instructions, messages, note, tools, maxTokens }: Question,
  call: CallInput,
  dependencies: ScriptDependencies,
): Promise<Said> {
  const input = { instructions, messages, note, tools, ...(maxTokens !== undefined && { max_tokens: maxTokens }) };
  const asModelCall = { ...call, input: input as unknown as JsonObject };
  const output = await callScript({ ...base, kind: 'script', script }, asModelCall, dependencies);
  return readSaid(output, script.path);
}

/** Reads a program's answer. @param who names it in the error. @throws CallFailure `model.answer_broken`. */
export function readSaid(output: Json, who: string): Said {
  const read = said.safeParse(output);
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
    const message = `${who} did not answer in the form required of a model${place}: ${issue?.message ?? 'unreadable'}`;
    throw new CallFailure({ code: 'model.answer_broken', message });
  }
  const { text, calls, usage } = read.data;
  recordModelAnswer(() => ({ inputTokens: usage?.input_tokens, outputTokens: usage?.output_tokens }));
  return {
    text,
    calls: calls.map(({ id, name, arguments: given }, at) => ({
      id: id ?? `call_${at}`,
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    usage: usage && { input: usage.input_tokens, output: usage.output_tokens },
    isCut: false,
  };
}
